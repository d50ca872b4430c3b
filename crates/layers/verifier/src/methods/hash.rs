//! Method `hash`: `prove` has recomputed the content's digest; integrity, not history.

use counterfoil_types::VerificationProof;

use super::{Examiner, Expected, expected_entry};
use crate::payload::hash_entry;
use crate::proven::{Proven, Strength};
use crate::refusal::Refusal;
use crate::session::Session;

/// Accepts a proof that holds a well-formed entry. Nothing anchors the entry: the maker of
/// the proof may have invented it.
#[derive(Debug, Clone, Copy, Default)]
pub struct HashVerifier;

impl Examiner for HashVerifier {
    fn examine(
        &self,
        proof: &VerificationProof,
        expected: Expected<'_>,
        _session: &mut Session,
    ) -> Result<Proven, Refusal> {
        let (text, disclosure) = hash_entry(proof)?;
        let entry = expected_entry(text, expected)?;
        Proven::entry_of(Strength::Hash, entry).disclosing(disclosure.as_ref())
    }
}
