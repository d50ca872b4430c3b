//! Method `existence`: the selector says that the World was in the store, and shows nothing.

use counterfoil_types::{VerificationMethod, VerificationProof};

use super::{Examiner, Expected};
use crate::payload::reader::expect_method;
use crate::proven::{Proven, Strength};
use crate::refusal::Refusal;
use crate::session::Session;

/// Accepts a proof that carries no data. What it shows names no World, whatever was expected: it
/// satisfies no policy that asks for cryptography.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExistenceVerifier;

impl Examiner for ExistenceVerifier {
    fn examine(
        &self,
        proof: &VerificationProof,
        _expected: Expected<'_>,
        _session: &mut Session,
    ) -> Result<Proven, Refusal> {
        expect_method(proof, &VerificationMethod::Existence)?;
        match proof.proof() {
            Some(_) => Err(Refusal::DataUnexpected),
            None => Ok(Proven::nothing(Strength::Existence)),
        }
    }
}

#[cfg(test)]
mod tests {
    use counterfoil_types::json::Value;

    use super::*;

    #[test]
    fn only_a_proof_without_data_is_one() {
        let method = VerificationMethod::Existence;
        let empty = VerificationProof::new(method.clone(), None).unwrap();
        let null = VerificationProof::new(method, Some(Value::Null)).unwrap();
        assert!(ExistenceVerifier.verifies(&empty));
        assert!(!ExistenceVerifier.verifies(&null));
        let proven = ExistenceVerifier
            .examine(&empty, Expected::AnyWorld, &mut Session::new())
            .unwrap();
        assert_eq!(proven.world(), None);
    }
}
