//! Verdicts on bytes that are refused (capsules 4.8).

use counterfoil_types::json::JsonError;

use crate::delta::DeltaError;
use crate::error::CapsuleError;
use crate::verdict::{Check, Code, IndeterminateReason, Verdict};

impl CapsuleError {
    /// Verdict on bytes that are refused for this reason: a later version is left open, all else is
    /// invalid.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Json { source, .. } => of_json(source, Check::Canonical),
            Self::HeaderTooLarge { .. } | Self::BodyTooLarge { .. } => {
                Verdict::invalid(Check::Limits, Code::Limit)
            }
            Self::Version { .. } | Self::Algorithm { .. } => {
                Verdict::pending(IndeterminateReason::UnknownVersion)
            }
            Self::AgentKey(_) => Verdict::invalid(Check::Key, Code::KeyType),
            Self::Sequence(_) => Verdict::invalid(Check::Sequence, Code::Sequence),
            Self::Mutation(_) => Verdict::invalid(Check::Mutation, Code::Mutation),
            _ => Verdict::invalid(Check::Schema, Code::Schema),
        }
    }
}

/// `canonical` is the check that a spelling belongs to: the header's own, or the body's.
pub(super) fn of_json(error: &JsonError, canonical: Check) -> Verdict {
    match error {
        JsonError::TooLarge { .. }
        | JsonError::TooDeep { .. }
        | JsonError::TooManyValues { .. } => Verdict::invalid(Check::Limits, Code::Limit),
        JsonError::DuplicateMember { .. }
        | JsonError::UnsafeInteger
        | JsonError::ByteOrderMark
        | JsonError::NotCanonical { .. } => Verdict::invalid(canonical, Code::NotCanonical),
        _ => Verdict::invalid(Check::Schema, Code::Schema),
    }
}

/// A delta that cannot be read, or leads elsewhere.
pub(super) fn of_delta(error: &DeltaError) -> Verdict {
    match error {
        DeltaError::Delta(source) => of_json(source, Check::Body),
        DeltaError::TooLarge { .. } => Verdict::invalid(Check::Limits, Code::Limit),
        _ => Verdict::invalid(Check::State, Code::Delta),
    }
}
