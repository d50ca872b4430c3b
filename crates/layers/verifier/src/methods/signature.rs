//! Method `signature`: an anchored agent signed the entry (`capsules.md` 4.2).

use alloc::sync::Arc;

use counterfoil_types::VerificationProof;

use super::{Examiner, Expected, expected_entry};
use crate::anchors::Anchors;
use crate::payload::signed_entry;
use crate::proven::{Proven, Strength};
use crate::refusal::Refusal;
use crate::session::Session;

/// Accepts an entry that carries the Ed25519 signature of an anchored agent.
#[derive(Debug, Clone)]
pub struct SignatureVerifier {
    anchors: Arc<Anchors>,
}

impl SignatureVerifier {
    /// A verifier that trusts the agents among the anchors only.
    pub fn new(anchors: impl Into<Arc<Anchors>>) -> Self {
        Self {
            anchors: anchors.into(),
        }
    }
}

impl Examiner for SignatureVerifier {
    fn examine(
        &self,
        proof: &VerificationProof,
        expected: Expected<'_>,
        _session: &mut Session,
    ) -> Result<Proven, Refusal> {
        let ((text, disclosure), signature) = signed_entry(proof)?;
        let key = self.anchors.agent_key(&signature.key_id)?;
        let entry = expected_entry(text, expected)?;
        signature.check(key, text)?;
        let proven = Proven::entry_of(Strength::Signature, entry).signed_by(signature.key_id);
        proven.disclosing(disclosure.as_ref())
    }
}
