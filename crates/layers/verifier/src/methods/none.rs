//! Method `none`: nothing was verified, so nothing verifies.

use counterfoil_types::{VerificationMethod, VerificationProof};

use super::{Expected, MethodVerifier};
use crate::proven::{Proven, Strength};
use crate::refusal::Refusal;
use crate::session::Session;

/// Refuses every proof.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoneVerifier;

impl MethodVerifier for NoneVerifier {
    fn method(&self) -> &VerificationMethod {
        &VerificationMethod::None
    }

    fn strength(&self) -> Strength {
        Strength::None
    }

    fn examine(
        &self,
        _proof: &VerificationProof,
        _expected: Expected<'_>,
        _session: &mut Session,
    ) -> Result<Proven, Refusal> {
        Err(Refusal::NeverVerifies)
    }
}
