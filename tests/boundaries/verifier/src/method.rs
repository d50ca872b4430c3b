//! A verification method of one's own (MR-04), written with no more than this role may reach.

use counterfoil_types::{VerificationMethod, VerificationProof};
use counterfoil_verifier::{Expected, MethodVerifier, Proven, Refusal, Session, Strength};

/// Accepts every proof of its method that somebody has a reference for: it shows no more than existence.
#[derive(Debug)]
pub struct Known {
    method: VerificationMethod,
}

impl Known {
    /// A verifier for `method`.
    #[must_use]
    pub const fn new(method: VerificationMethod) -> Self {
        Self { method }
    }
}

impl MethodVerifier for Known {
    fn method(&self) -> &VerificationMethod {
        &self.method
    }

    fn strength(&self) -> Strength {
        Strength::Existence
    }

    fn examine(
        &self,
        proof: &VerificationProof,
        expected: Expected<'_>,
        _session: &mut Session,
    ) -> Result<Proven, Refusal> {
        if *proof.method() != self.method {
            let (expected, found) = (self.method.clone(), proof.method().clone());
            return Err(Refusal::WrongMethod { expected, found });
        }
        match expected {
            Expected::World(world) => Ok(Proven::by_method(self.strength(), world.clone())),
            Expected::AnyWorld => Err(Refusal::DataMissing),
        }
    }
}
