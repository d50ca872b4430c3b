//! Receipts: what the responder's log shows of a memory, and whether it is what the memory says (R11;
//! docs/format/exchange.md §8.3).

use alloc::sync::Arc;

use counterfoil_types::json::Value;
use counterfoil_verifier::opened::{Opened, OpenedCapsule, OpenedError};
use counterfoil_verifier::{Anchors, Refusal, Session};

use super::{CheckResult, FailCode, Receipts, SkipReason};
use crate::answering::claim_of_world;
use crate::documents::Claim;

/// The `ext.kind` of a claim unit, and the `data.kind` of its World.
const CLAIM: &str = "claim";

/// Does what was recorded say what `claim` says? The words and the structured claim must be those that
/// [`claim_of_world`] gives; type, circumstances and references are the attester's word.
///
/// `content` is the World without its metadata, `kind` the `ext.kind` of its capsule: whoever writes `data` like that of a
/// unit has not made one.
#[must_use]
pub fn says(content: &Value, kind: Option<&str>, claim: &Claim) -> bool {
    let data = content.get("data").and_then(|data| data.get("kind"));
    let like_unit = data.and_then(Value::as_str) == Some(CLAIM);
    if like_unit != (kind == Some(CLAIM)) {
        return false;
    }
    claim_of_world(content)
        .is_some_and(|said| said.content == claim.content && said.structured == claim.structured)
}

/// Checks the receipts of one answer. A checkpoint that several share is judged once.
pub(super) struct ReceiptCheck {
    anchors: Option<Arc<Anchors>>,
    session: Session,
}

impl ReceiptCheck {
    pub(super) fn new(receipts: &Receipts) -> Self {
        Self {
            anchors: receipts.anchors.clone().map(Arc::new),
            session: Session::new(),
        }
    }

    pub(super) fn check(&mut self, receipt: &OpenedCapsule, claim: &Claim) -> CheckResult {
        let Some(anchors) = &self.anchors else {
            return CheckResult::Skip(SkipReason::UnknownLog);
        };
        match receipt.open(anchors, &mut self.session) {
            Ok(opened) if shows(&opened, claim) => CheckResult::Pass,
            Err(OpenedError::Proof(refusal)) if is_of_others(&refusal) => {
                CheckResult::Skip(SkipReason::UnknownLog)
            }
            Ok(_) | Err(_) => CheckResult::Fail(FailCode::Mismatch),
        }
    }
}

fn shows(opened: &Opened, claim: &Claim) -> bool {
    says(&opened.content, opened.header.kind.as_deref(), claim)
}

/// Nothing is wrong with the receipt: this agent does not know whose it is, or asks for witnesses that it was not shown.
const fn is_of_others(refusal: &Refusal) -> bool {
    matches!(
        refusal,
        Refusal::UnknownOrigin { .. }
            | Refusal::UnknownAgent { .. }
            | Refusal::CosignedMissing { .. }
            | Refusal::QuorumMissed { .. }
    )
}
