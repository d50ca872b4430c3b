//! `VerifierSet`: a verifier for every method, those of applications included (MR-04).

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use counterfoil_types::{VerificationMethod, VerificationProof};

use crate::anchors::Anchors;
use crate::error::AnchorError;
use crate::methods::{
    ExistenceVerifier, Expected, HashVerifier, MerkleVerifier, MethodVerifier, NoneVerifier,
    ProofVerifier, SignatureVerifier,
};
use crate::proven::Proven;
use crate::refusal::Refusal;
use crate::session::Session;

/// Verifiers by method. A method without one is refused: unknown is never valid.
pub struct VerifierSet {
    verifiers: Vec<Box<dyn MethodVerifier>>,
}

impl VerifierSet {
    /// The five methods of the specification, under one set of anchors.
    pub fn new(anchors: impl Into<Arc<Anchors>>) -> Self {
        let anchors = anchors.into();
        Self {
            verifiers: vec![
                Box::new(MerkleVerifier::new(Arc::clone(&anchors))),
                Box::new(SignatureVerifier::new(anchors)),
                Box::new(HashVerifier),
                Box::new(ExistenceVerifier),
                Box::new(NoneVerifier),
            ],
        }
    }

    /// Adds a method of the application's own (MR-04).
    ///
    /// # Errors
    /// [`AnchorError::MethodTaken`] if the method has a verifier already: none is replaced.
    pub fn with_method(mut self, verifier: Box<dyn MethodVerifier>) -> Result<Self, AnchorError> {
        if self.verifier_of(verifier.method()).is_some() {
            let method = verifier.method().clone();
            return Err(AnchorError::MethodTaken { method });
        }
        self.verifiers.push(verifier);
        Ok(self)
    }

    /// Verifies a proof by its method, and compares the World that it is about.
    ///
    /// # Errors
    /// [`Refusal::UnknownMethod`], or the refusal of the method's verifier.
    pub fn examine(
        &self,
        proof: &VerificationProof,
        expected: Expected<'_>,
        session: &mut Session,
    ) -> Result<Proven, Refusal> {
        let verifier = self.verifier_of(proof.method());
        let verifier = verifier.ok_or_else(|| Refusal::UnknownMethod {
            method: proof.method().clone(),
        })?;
        let proven = verifier.examine(proof, expected, session)?;
        // Once more here, in case an application's own method forgets to.
        proven
            .world()
            .map_or(Ok(()), |found| expected.check(found))?;
        Ok(proven)
    }

    /// The methods that have a verifier.
    pub fn methods(&self) -> impl Iterator<Item = &VerificationMethod> {
        self.verifiers.iter().map(|verifier| verifier.method())
    }

    fn verifier_of(&self, method: &VerificationMethod) -> Option<&dyn MethodVerifier> {
        let verifiers = self.verifiers.iter().map(AsRef::as_ref);
        verifiers
            .into_iter()
            .find(|verifier| verifier.method() == method)
    }
}

impl ProofVerifier for VerifierSet {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        self.examine(proof, Expected::AnyWorld, &mut Session::new())
            .is_ok()
    }
}

impl fmt::Debug for VerifierSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.methods()).finish()
    }
}

#[cfg(test)]
mod tests {
    use counterfoil_types::WorldId;

    use super::*;
    use crate::anchors::LogAnchor;
    use crate::proven::Strength;

    /// A method of an application that forgets to compare the reference.
    struct Careless {
        method: VerificationMethod,
    }

    impl MethodVerifier for Careless {
        fn method(&self) -> &VerificationMethod {
            &self.method
        }

        fn strength(&self) -> Strength {
            Strength::Hash
        }

        fn examine(
            &self,
            _proof: &VerificationProof,
            _expected: Expected<'_>,
            _session: &mut Session,
        ) -> Result<Proven, Refusal> {
            Ok(Proven::by_method(self.strength(), world("w")))
        }
    }

    fn world(id: &str) -> WorldId {
        WorldId::new(id).unwrap()
    }

    fn careless(method: &str) -> Box<dyn MethodVerifier> {
        let method = VerificationMethod::new(method).unwrap();
        Box::new(Careless { method })
    }

    fn verifiers() -> VerifierSet {
        let key = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
        let log = LogAnchor::new(key.parse().unwrap());
        VerifierSet::new(Anchors::new(vec![log]).unwrap())
    }

    /// MR-04.
    #[test]
    fn a_method_of_one_s_own_is_used_by_its_exact_name() {
        let verifiers = verifiers().with_method(careless("oracle")).unwrap();
        let proof = |method: &str| {
            VerificationProof::new(VerificationMethod::new(method).unwrap(), None).unwrap()
        };
        assert!(verifiers.verify_proof(&proof("oracle")));
        assert!(!verifiers.verify_proof(&proof("Oracle")));
        let verdict = verifiers.examine(
            &proof("oracle"),
            Expected::World(&world("other")),
            &mut Session::new(),
        );
        assert!(matches!(verdict, Err(Refusal::WorldMismatch { .. })));
    }

    /// MR-04: nobody replaces a method of the specification, or another's.
    #[test]
    fn a_method_that_has_a_verifier_keeps_it() {
        for method in ["merkle", "signature", "hash", "existence", "none"] {
            let taken = verifiers().with_method(careless(method)).unwrap_err();
            let method = VerificationMethod::new(method).unwrap();
            assert_eq!(taken, AnchorError::MethodTaken { method });
        }
        let once = verifiers().with_method(careless("oracle")).unwrap();
        assert!(once.with_method(careless("oracle")).is_err());
    }
}
