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
    Examiner, ExistenceVerifier, Expected, HashVerifier, MerkleVerifier, NoneVerifier,
    SignatureVerifier,
};
use crate::proven::Proven;
use crate::refusal::Refusal;
use crate::session::Session;

/// Verifiers by method, the application's own among them (MR-04). A method without one is refused: unknown is never valid.
#[derive(Default)]
pub struct VerifierSet {
    anchors: Option<Arc<Anchors>>,
    verifiers: Vec<(VerificationMethod, Box<dyn Examiner>)>,
}

impl VerifierSet {
    /// This project's verifiers of the five methods of the specification, under one set of anchors. The default has none.
    pub fn new(anchors: impl Into<Arc<Anchors>>) -> Self {
        let anchors = anchors.into();
        let signature = SignatureVerifier::new(Arc::clone(&anchors));
        Self {
            verifiers: vec![
                (
                    VerificationMethod::Merkle,
                    Box::new(MerkleVerifier::new(Arc::clone(&anchors))),
                ),
                (VerificationMethod::Signature, Box::new(signature)),
                (VerificationMethod::Hash, Box::new(HashVerifier)),
                (VerificationMethod::Existence, Box::new(ExistenceVerifier)),
                (VerificationMethod::None, Box::new(NoneVerifier)),
            ],
            anchors: Some(anchors),
        }
    }

    /// Adds the verifier of a method: one of this project, or of the application's own, for any name (MR-04).
    ///
    /// # Errors
    /// [`AnchorError::MethodTaken`] if the method has a verifier already: none is replaced.
    pub fn with_method(
        mut self,
        method: VerificationMethod,
        verifier: impl Examiner + 'static,
    ) -> Result<Self, AnchorError> {
        if self.verifier_of(&method).is_some() {
            return Err(AnchorError::MethodTaken { method });
        }
        self.verifiers.push((method, Box::new(verifier)));
        Ok(self)
    }

    /// The methods that have a verifier.
    pub fn methods(&self) -> impl Iterator<Item = &VerificationMethod> {
        self.verifiers.iter().map(|(method, _)| method)
    }

    fn verifier_of(&self, method: &VerificationMethod) -> Option<&dyn Examiner> {
        let mut verifiers = self.verifiers.iter();
        let (_, verifier) = verifiers.find(|(name, _)| name == method)?;
        Some(&**verifier)
    }
}

impl Examiner for VerifierSet {
    /// Verifies a proof by its method, and compares the World that it is about.
    ///
    /// # Errors
    /// [`Refusal::UnknownMethod`], or the refusal of the method's verifier.
    fn examine(
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

    fn anchors(&self) -> Option<&Anchors> {
        self.anchors.as_deref()
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
    struct Careless;

    impl Examiner for Careless {
        fn examine(
            &self,
            _proof: &VerificationProof,
            _expected: Expected<'_>,
            _session: &mut Session,
        ) -> Result<Proven, Refusal> {
            Ok(Proven::by_method(Strength::Hash, world("w")))
        }
    }

    fn world(id: &str) -> WorldId {
        WorldId::new(id).unwrap()
    }

    fn method(name: &str) -> VerificationMethod {
        VerificationMethod::new(name).unwrap()
    }

    fn verifiers() -> VerifierSet {
        let key = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
        let log = LogAnchor::new(key.parse().unwrap());
        VerifierSet::new(Anchors::new(vec![log]).unwrap())
    }

    /// MR-04.
    #[test]
    fn a_method_of_one_s_own_is_used_by_its_exact_name() {
        let verifiers = verifiers().with_method(method("oracle"), Careless).unwrap();
        let proof = |name: &str| VerificationProof::new(method(name), None).unwrap();
        assert!(verifiers.verifies(&proof("oracle")));
        assert!(!verifiers.verifies(&proof("Oracle")));
        let verdict = verifiers.examine(
            &proof("oracle"),
            Expected::World(&world("other")),
            &mut Session::new(),
        );
        assert!(matches!(verdict, Err(Refusal::WorldMismatch { .. })));
    }

    /// MR-04: any method can be the application's own, and none that has a verifier is replaced.
    #[test]
    fn a_method_that_has_a_verifier_keeps_it() {
        for name in ["merkle", "signature", "hash", "existence", "none", "oracle"] {
            let own = VerifierSet::default().with_method(method(name), Careless);
            let own = own.unwrap();
            let proof = VerificationProof::new(method(name), None).unwrap();
            assert!(own.verifies(&proof), "{name}");
            assert!(!VerifierSet::default().verifies(&proof), "{name}");
            for taken in [Some(own), (name != "oracle").then(verifiers)] {
                let taken = taken.map(|set| set.with_method(method(name), Careless).unwrap_err());
                let method = method(name);
                assert!(taken.is_none_or(|error| error == AnchorError::MethodTaken { method }));
            }
        }
    }
}
