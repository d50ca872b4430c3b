//! `MemoryRef` and `SelectedMemory`: a selected memory and its reason (§5.1.1, §5.1.4).

use serde::Serialize;

use crate::confidence::Confidence;
use crate::evidence::VerificationEvidence;
use crate::json::{Limits, Value};
use crate::shape::ShapeError;
use crate::text::Reason;
use crate::wire::{boolean, checked_json};
use crate::world_id::WorldId;

/// A reference to a past World (§5.1.1). The reference gives access to truth; a selected memory
/// is not truth (M-1).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryRef {
    world_id: WorldId,
}

impl MemoryRef {
    /// Refers to a World.
    pub const fn new(world_id: WorldId) -> Self {
        Self { world_id }
    }

    /// The World's identifier.
    pub const fn world_id(&self) -> &WorldId {
        &self.world_id
    }
}

crate::from_members!(MemoryRef {
    world_id: required("worldId", WorldId::read),
});

checked_json!(MemoryRef, Limits::PROOF);

/// A selected memory with the context of its selection (§5.1.4; CR-06 to CR-09, MR-06).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SelectedMemory {
    #[serde(rename = "ref")]
    memory_ref: MemoryRef,
    reason: Reason,
    confidence: Confidence,
    verified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<VerificationEvidence>,
}

impl SelectedMemory {
    /// Puts a selected memory together from parts that are valid by themselves: not verified, without evidence.
    pub const fn new(memory_ref: MemoryRef, reason: Reason, confidence: Confidence) -> Self {
        Self {
            memory_ref,
            reason,
            confidence,
            verified: false,
            evidence: None,
        }
    }

    /// Replaces the reason.
    #[must_use]
    pub fn with_reason(mut self, reason: Reason) -> Self {
        self.reason = reason;
        self
    }

    /// Adds evidence for an authority to check.
    #[must_use]
    pub fn with_evidence(mut self, evidence: VerificationEvidence) -> Self {
        self.evidence = Some(evidence);
        self
    }

    /// States that `prove` passed. An authority never accepts a memory for this.
    #[must_use]
    pub const fn as_verified(mut self) -> Self {
        self.verified = true;
        self
    }

    /// The World that was selected.
    pub const fn memory_ref(&self) -> &MemoryRef {
        &self.memory_ref
    }

    /// Reason of the selection: to be shown, not to be built on (FP-01).
    pub const fn reason(&self) -> &Reason {
        &self.reason
    }

    /// Confidence in its relevance.
    pub const fn confidence(&self) -> Confidence {
        self.confidence
    }

    /// Result of the verification as the selector states it.
    pub const fn verified(&self) -> bool {
        self.verified
    }

    /// Evidence for an authority to check, if there is any (MR-06).
    pub const fn evidence(&self) -> Option<&VerificationEvidence> {
        self.evidence.as_ref()
    }

    /// Returns whether evidence is there and names a method other than `none` (§5.3.2 `requireEvidence`).
    ///
    /// It says that evidence is present, not that it is cryptographic, nor that it verifies.
    pub fn has_required_evidence(&self) -> bool {
        self.evidence
            .as_ref()
            .is_some_and(|evidence| *evidence.method() != crate::VerificationMethod::None)
    }
}

fn confidence(_: &'static str, value: Value) -> Result<Confidence, ShapeError> {
    Confidence::try_from(value)
}

fn reason(name: &'static str, value: Value) -> Result<Reason, ShapeError> {
    match value {
        Value::String(text) => Reason::new(text),
        _ => Err(ShapeError::one(name, "be non-empty string")),
    }
}

crate::from_members!(SelectedMemory {
    memory_ref: nested("ref"),
    reason: required("reason", reason),
    confidence: required("confidence", confidence),
    verified: required("verified", boolean),
    evidence: optional_nested("evidence"),
});

checked_json!(SelectedMemory, Limits::DOCUMENT);
