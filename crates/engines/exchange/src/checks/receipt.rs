//! The record check: the memory in the responder's log against the claim (R11; docs/format/exchange.md §8.3).

use alloc::sync::Arc;

use counterfoil_types::json::Value;
use counterfoil_verifier::opened::OpenedCapsule;
use counterfoil_verifier::{Anchors, Refusal, Session};

use super::{CheckResult, FailCode, SkipReason};
use crate::answering::claim_of_world;
use crate::documents::Claim;

/// The `ext.kind` of a claim unit, and the `data.kind` of its World.
const CLAIM: &str = "claim";

/// Does a recorded World hold `claim`? Words and structured claim must be those of [`claim_of_world`]; kind, circumstances and
/// references are testimony of the attesting agent.
///
/// `content` is the World without its metadata, `kind` the `ext.kind` of its capsule: `data` in the form of a claim unit makes
/// no unit.
pub fn says(content: &Value, kind: Option<&str>, claim: &Claim) -> bool {
    let data = content.get("data").and_then(|data| data.get("kind"));
    let like_unit = data.and_then(Value::as_str) == Some(CLAIM);
    if like_unit != (kind == Some(CLAIM)) {
        return false;
    }
    claim_of_world(content)
        .is_some_and(|said| said.content == claim.content && said.structured == claim.structured)
}

/// Receipt check of one answer. A checkpoint that several receipts share is checked once.
pub(super) struct ReceiptCheck<'a> {
    anchors: Option<&'a Arc<Anchors>>,
    session: Session,
}

impl<'a> ReceiptCheck<'a> {
    pub(super) fn new(anchors: Option<&'a Arc<Anchors>>) -> Self {
        Self {
            anchors,
            session: Session::new(),
        }
    }

    pub(super) fn check(&mut self, receipt: &OpenedCapsule, claim: &Claim) -> CheckResult {
        let Some(anchors) = self.anchors else {
            return CheckResult::Skip(SkipReason::UnknownLog);
        };
        match receipt.open(anchors, &mut self.session) {
            Ok(opened) if says(&opened.content, opened.kind.as_deref(), claim) => CheckResult::Pass,
            // The receipt may hold: its log is unknown, or lacks witnesses that this agent asks for.
            Err(
                Refusal::UnknownOrigin { .. }
                | Refusal::UnknownAgent { .. }
                | Refusal::CosignedMissing { .. }
                | Refusal::QuorumMissed { .. },
            ) => CheckResult::Skip(SkipReason::UnknownLog),
            Ok(_) | Err(_) => CheckResult::Fail(FailCode::Mismatch),
        }
    }
}
