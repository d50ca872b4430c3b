//! Method `merkle`: the entry is in an anchored log (all of `proof.md` §3, in its order).

use alloc::sync::Arc;

use counterfoil_types::VerificationProof;

use super::{Examiner, Expected, expected_entry};
use crate::anchors::Anchors;
use crate::floor;
use crate::inclusion;
use crate::merkle::{LOG, leaf_hash};
use crate::payload::MerklePayload;
use crate::proven::{Proven, Strength};
use crate::refusal::Refusal;
use crate::session::Session;
use crate::tlog_proof::TlogProof;

/// Accepts an entry that an anchored log has recorded before a checkpoint that it signed.
#[derive(Debug, Clone)]
pub struct MerkleVerifier {
    anchors: Arc<Anchors>,
    /// Begins the session of a proof that is verified by itself.
    judged: Session,
}

impl MerkleVerifier {
    /// A verifier that trusts the logs among the anchors, with their floors and witnesses.
    pub fn new(anchors: impl Into<Arc<Anchors>>) -> Self {
        Self {
            anchors: anchors.into(),
            judged: Session::new(),
        }
    }

    /// Judges a checkpoint, a signed note, so that [`verifies`](Examiner::verifies) need not do so for each proof under it.
    /// Changes no verdict.
    #[must_use]
    pub fn judging(mut self, note: &str) -> Self {
        drop(self.judged.checkpoint(&self.anchors, note));
        self
    }
}

impl Examiner for MerkleVerifier {
    fn examine(
        &self,
        proof: &VerificationProof,
        expected: Expected<'_>,
        session: &mut Session,
    ) -> Result<Proven, Refusal> {
        let payload = MerklePayload::read(proof)?;
        let tlog = TlogProof::parse(payload.tlog_proof)?;
        let checkpoint = session.checkpoint(&self.anchors, &tlog.checkpoint)?;
        let log = self.anchors.log_of(&checkpoint)?;
        floor::check(log, &checkpoint, payload.consistency.as_ref())?;
        // Step 8.
        let leaf = leaf_hash(payload.entry.as_bytes());
        let computed = inclusion::fold(LOG, tlog.index, checkpoint.size(), &leaf, &tlog.hashes)?;
        let signed = checkpoint.root();
        if computed != signed {
            return Err(Refusal::NotInLog { computed, signed });
        }
        let entry = expected_entry(payload.entry, expected)?;
        // Roots that the prover wrote down are compared, never believed.
        let derived = entry.field_root;
        let roots = [
            ("computedRoot", payload.computed_root),
            ("expectedRoot", payload.expected_root),
        ];
        if let Some((member, claimed)) = roots.into_iter().find(|(_, claimed)| *claimed != derived)
        {
            return Err(Refusal::RootMismatch {
                member,
                claimed,
                derived,
            });
        }
        let proven = Proven::entry_of(Strength::Merkle, entry).recorded(tlog.index, checkpoint);
        proven.disclosing(payload.disclosure.as_ref())
    }

    fn verifies(&self, proof: &VerificationProof) -> bool {
        let findings = self.examine(proof, Expected::AnyWorld, &mut self.judged.clone());
        findings.is_ok()
    }
}
