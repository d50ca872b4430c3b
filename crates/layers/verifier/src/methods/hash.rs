//! Method `hash`: `prove` has recomputed the content's digest; integrity, not history.

use counterfoil_types::{VerificationMethod, VerificationProof};

use super::{Expected, MethodVerifier, expected_entry};
use crate::payload::hash_entry;
use crate::proven::{Proven, Strength};
use crate::refusal::Refusal;
use crate::session::Session;

/// Accepts a proof that holds a well-formed entry. Nothing anchors the entry: the maker of
/// the proof may have invented it.
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
        let entry = expected_entry(hash_entry(proof)?, expected)?;
        Ok(Proven::entry_of(self.strength(), entry))
    }
}
