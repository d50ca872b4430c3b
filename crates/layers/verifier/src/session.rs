//! Session: verdicts that the proofs of one trace share. It saves work and never changes a verdict.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use counterfoil_types::Sha256Hash;

use crate::anchors::Anchors;
use crate::checkpoint::Checkpoint;
use crate::limits::MAX_REMEMBERED_CHECKPOINTS;
use crate::refusal::Refusal;
use crate::vouch::{self, Cosigned};

/// The memory of one pass over a trace: checkpoints that several memories share are judged once.
///
/// The verdict on a proof is the same with a fresh session, except that cosigned checkpoints
/// stand in it: a cosignature carries a time, and a proof may not (M-8). Verdicts are
/// kept under the anchors that gave them, at most 64 checkpoints, good and bad.
#[derive(Debug, Clone, Default)]
pub struct Session {
    cosigned: Vec<String>,
    witnessed: Option<Witnessed>,
    judged: Vec<Judged>,
}

/// Verdicts on the cosigned notes, all judged at once: for any number of proofs, no cosignature
/// is verified twice.
#[derive(Debug, Clone)]
struct Witnessed {
    anchors: Sha256Hash,
    notes: Result<Vec<Cosigned>, Refusal>,
}

#[derive(Debug, Clone)]
struct Judged {
    anchors: Sha256Hash,
    note: String,
    verdict: Result<Arc<Checkpoint>, Refusal>,
}

impl Session {
    /// Nothing remembered, nothing cosigned.
    pub const fn new() -> Self {
        Self::with_cosigned(Vec::new())
    }

    /// With cosigned checkpoints that were handed over beside the proofs, each a signed note, at
    /// most 16. They are looked at only if the anchors ask for a quorum; then one that is no
    /// signed note refuses every proof.
    pub const fn with_cosigned(cosigned: Vec<String>) -> Self {
        Self {
            cosigned,
            witnessed: None,
            judged: Vec::new(),
        }
    }

    /// Steps 4 to 6 for a proof's checkpoint, once for each note.
    pub(crate) fn checkpoint(
        &mut self,
        anchors: &Anchors,
        note: &str,
    ) -> Result<Arc<Checkpoint>, Refusal> {
        let same = |judged: &&Judged| judged.note == note && judged.anchors == anchors.id();
        if let Some(judged) = self.judged.iter().find(same) {
            return judged.verdict.clone();
        }
        let verdict = self.judge(anchors, note).map(Arc::new);
        if self.judged.len() >= MAX_REMEMBERED_CHECKPOINTS {
            self.judged.remove(0);
        }
        self.judged.push(Judged {
            anchors: anchors.id(),
            note: note.into(),
            verdict: verdict.clone(),
        });
        verdict
    }

    fn judge(&mut self, anchors: &Anchors, note: &str) -> Result<Checkpoint, Refusal> {
        let checkpoint = vouch::by_log(anchors, note)?;
        if anchors.quorum() > 0 {
            let notes = self.witnessed(anchors).as_ref().map_err(Clone::clone)?;
            vouch::by_witnesses(anchors, &checkpoint, notes)?;
        }
        Ok(checkpoint)
    }

    fn witnessed(&mut self, anchors: &Anchors) -> &Result<Vec<Cosigned>, Refusal> {
        let id = anchors.id();
        let stale = self.witnessed.take_if(|witnessed| witnessed.anchors != id);
        drop(stale);
        let cosigned = &self.cosigned;
        let judge = || Witnessed {
            anchors: id,
            notes: vouch::judge_cosigned(anchors, cosigned),
        };
        &self.witnessed.get_or_insert_with(judge).notes
    }
}
