//! Method `none`: nothing was verified, so nothing verifies.

use counterfoil_types::VerificationProof;

use super::{Examiner, Expected};
use crate::proven::Proven;
use crate::refusal::Refusal;
use crate::session::Session;

/// Refuses every proof.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoneVerifier;

impl Examiner for NoneVerifier {
    fn examine(
        &self,
        _proof: &VerificationProof,
        _expected: Expected<'_>,
        _session: &mut Session,
    ) -> Result<Proven, Refusal> {
        Err(Refusal::NeverVerifies)
    }
}
