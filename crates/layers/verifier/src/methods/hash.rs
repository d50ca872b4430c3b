//! Method `hash`: `prove` has recomputed the content's digest; integrity, not history.

use counterfoil_types::{VerificationMethod, VerificationProof};

use super::{Expected, MethodVerifier, expected_entry};
use crate::payload::HashPayload;
use crate::proven::{Proven, Strength};
use crate::refusal::Refusal;
use crate::session::Session;

/// Accepts a proof that holds a well-formed entry. Nothing anchors the entry: whoever made the
/// proof could have made it up.
#[derive(Debug, Clone, Copy, Default)]
pub struct HashVerifier;

impl MethodVerifier for HashVerifier {
    fn method(&self) -> &VerificationMethod {
        &VerificationMethod::Hash
    }

    fn strength(&self) -> Strength {
        Strength::Hash
    }

    fn examine(
        &self,
        proof: &VerificationProof,
        expected: Expected<'_>,
        _session: &mut Session,
    ) -> Result<Proven, Refusal> {
        let payload = HashPayload::read(proof)?;
        let entry = expected_entry(payload.entry, expected)?;
        Ok(Proven::entry_of(self.strength(), entry))
    }
}
