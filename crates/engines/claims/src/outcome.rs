//! Decisions of the gate and their reasons, as data (I5, I7).

use alloc::boxed::Box;
use alloc::vec::Vec;

use counterfoil_types::json::Value;
use counterfoil_types::words;
use serde::{Deserialize, Serialize};

use crate::limits::{MAX_REFS, distinct, only_true, positive};
use crate::{Cardinality, ClaimRef, TransactionTime, Unit};

words! {
    /// Result of a submission or an assertion.
    #[derive(PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Disposition {
        /// Written as a claim.
        Committed = "committed",
        /// Written as a claim of a model.
        CommittedInferred = "committed_inferred",
        /// Equal to a claim of the line; new sources of it were written.
        Corroborated = "corroborated",
        /// Equal to a claim of the line by the same source, said a day later at least; that was written.
        Confirmed = "confirmed",
        /// Written as a claim that others contradict.
        Contested = "contested",
        /// Written as a claim that others contradict and that an oracle is asked about.
        QueuedForAdjudication = "queued_for_adjudication",
        /// Kept apart until it is released.
        Quarantined = "quarantined",
        /// Denied before, without new evidence; nothing was written.
        DeniedAlready = "denied_already",
        /// Ended a claim.
        Bounded = "bounded",
        /// Put a claim in the place of another.
        Superseded = "superseded",
        /// Undid the effects on a claim.
        Reinstated = "reinstated",
        /// Took a claim out of quarantine.
        Released = "released",
        /// Verdict for a claim.
        Affirmed = "affirmed",
        /// Verdict against a claim.
        Denied = "denied",
        /// Took a claim back.
        Retracted = "retracted",
        /// Nothing to do.
        NoChange = "no_change",
    }
}

/// Reasons of a decision, beyond its row.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Reasons {
    /// Claims that contradict it, at most 16.
    #[serde(
        default,
        deserialize_with = "distinct::<_, _, MAX_REFS>",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub rivals: Vec<ClaimRef>,
    /// Number of claims that contradict it, listed or not.
    #[serde(
        default,
        deserialize_with = "positive",
        skip_serializing_if = "is_zero"
    )]
    pub rival_count: u64,
    /// Claim that it equals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equals: Option<ClaimRef>,
    /// Number of derivations between a model's claim and its evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Cardinality of the line at the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cardinality: Option<Cardinality>,
    /// Claims that it may not supersede, at most 16.
    #[serde(
        default,
        deserialize_with = "distinct::<_, _, MAX_REFS>",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub ignored: Vec<ClaimRef>,
    /// In an answer: an echo (docs/format/claims.md 4, step 3). In a unit, of programs before version 5 of the database: the
    /// value had been handed out by recall.
    #[serde(
        default,
        deserialize_with = "only_true",
        skip_serializing_if = "core::ops::Not::not"
    )]
    pub re_entry: bool,
}

impl Reasons {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Unit that the gate let in, ready to be sealed. Only the gate makes one.
#[derive(Debug, Clone)]
pub struct Approved {
    pub(crate) disposition: Disposition,
    pub(crate) because: Reasons,
    pub(crate) document: Value,
}

impl Approved {
    /// `data` of the World that becomes the unit.
    pub const fn document(&self) -> &Value {
        &self.document
    }

    /// Result.
    pub const fn disposition(&self) -> Disposition {
        self.disposition
    }

    /// Reasons beyond the row.
    pub const fn because(&self) -> &Reasons {
        &self.because
    }
}

/// Decision of the gate about a submission or an assertion.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum GateDecision {
    /// A unit is to be written.
    Write(Approved),
    /// Nothing is to be written; a claim of the line answers for it.
    Nothing(ClaimOutcome),
    /// Same request as before under its idempotency key: the first answer is repeated.
    Again(Box<Unit>),
}

/// Answer to the caller, once it is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClaimOutcome {
    /// Result.
    pub disposition: Disposition,
    /// Row of the gate's table that decided (docs/format/claims.md 5), 1 to 8; 0 for assertions (6).
    pub row: u8,
    /// Reasons beyond the row.
    pub because: Reasons,
    /// Claim that answers for it: the new one, or one that was there.
    pub reference: ClaimRef,
    /// Unit that was written, if any: its World, log index and time.
    pub written: Option<(ClaimRef, u64, TransactionTime)>,
}

impl ClaimOutcome {
    /// Returns the answer for a unit that was written: its claim, or the claim that it is about.
    pub fn of_unit(unit: &Unit) -> Self {
        let reference = unit.act().target().unwrap_or_else(|| unit.reference());
        Self {
            disposition: unit.disposition(),
            row: unit.row(),
            because: unit.because().clone(),
            reference: reference.clone(),
            written: Some((unit.reference().clone(), unit.index(), unit.stamp())),
        }
    }

    /// Returns the answer where nothing is written; `None` for [`GateDecision::Write`].
    pub fn of_nothing(decision: &GateDecision) -> Option<Self> {
        match decision {
            GateDecision::Write(_) => None,
            GateDecision::Again(unit) => Some(Self::of_unit(unit)),
            GateDecision::Nothing(outcome) => Some(outcome.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ActKind;

    /// CLM-9: each word on the wire names one thing.
    #[test]
    fn names_are_read_as_they_are_written() {
        for disposition in Disposition::ALL {
            assert_eq!(disposition.name().parse(), Ok(disposition));
        }
        for act in ActKind::ALL {
            assert_eq!(act.name().parse(), Ok(act));
        }
        for cardinality in Cardinality::ALL {
            assert_eq!(cardinality.name().parse(), Ok(cardinality));
        }
        assert!("Committed".parse::<Disposition>().is_err());
    }
}
