//! What the gate decided, and why, as data (I5, I7).

use alloc::boxed::Box;
use alloc::vec::Vec;

use counterfoil_types::json::Value;

use crate::{Cardinality, ClaimRef, TransactionTime, Unit};

/// What became of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Disposition {
    /// It is a claim.
    Committed,
    /// It is a claim of a model.
    CommittedInferred,
    /// It says what is there already.
    Corroborated,
    /// It is a claim, and others contradict it.
    Contested,
    /// The same, and an oracle will be asked.
    QueuedForAdjudication,
    /// It is kept apart until somebody releases it.
    Quarantined,
    /// It was denied before, and there is no new evidence.
    DeniedAlready,
    /// A claim was ended.
    Bounded,
    /// A claim has another in its place.
    Superseded,
    /// What was done to a claim is undone.
    Reinstated,
    /// A claim left quarantine.
    Released,
    /// A verdict for a claim.
    Affirmed,
    /// A verdict against a claim.
    Denied,
    /// There was nothing to do.
    NoChange,
}

impl Disposition {
    /// All, in the order of their declaration.
    pub const ALL: [Self; 14] = [
        Self::Committed,
        Self::CommittedInferred,
        Self::Corroborated,
        Self::Contested,
        Self::QueuedForAdjudication,
        Self::Quarantined,
        Self::DeniedAlready,
        Self::Bounded,
        Self::Superseded,
        Self::Reinstated,
        Self::Released,
        Self::Affirmed,
        Self::Denied,
        Self::NoChange,
    ];

    /// As it is written: `committed`, `queued_for_adjudication` and so on.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Committed => "committed",
            Self::CommittedInferred => "committed_inferred",
            Self::Corroborated => "corroborated",
            Self::Contested => "contested",
            Self::QueuedForAdjudication => "queued_for_adjudication",
            Self::Quarantined => "quarantined",
            Self::DeniedAlready => "denied_already",
            Self::Bounded => "bounded",
            Self::Superseded => "superseded",
            Self::Reinstated => "reinstated",
            Self::Released => "released",
            Self::Affirmed => "affirmed",
            Self::Denied => "denied",
            Self::NoChange => "no_change",
        }
    }

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// The row of the gate's table that decided (docs/format/claims.md 5), 1 to 8; 0 for assertions (6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GateRow(pub(crate) u8);

impl GateRow {
    /// Its number.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// When it holds, in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            1 => "says what is there already",
            2 => "the window ends before it begins",
            3 => "denied before, and no new evidence",
            4 => "a model says so",
            5 => "nothing contradicts it",
            6 => "takes the place of all that contradicts it",
            7 => "contradicted, and nobody settles it",
            8 => "contradicted, and waits for a verdict",
            _ => "an assertion",
        }
    }
}

/// Why, beyond the row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reasons {
    /// Claims that contradict it, at most 16.
    pub rivals: Vec<ClaimRef>,
    /// How many there are.
    pub rival_count: u64,
    /// The claim that it equals.
    pub equals: Option<ClaimRef>,
    /// How far a model's claim is from evidence.
    pub depth: Option<u32>,
    /// The cardinality of the line that was decided by.
    pub cardinality: Option<Cardinality>,
    /// Claims that it may not supersede.
    pub ignored: Vec<ClaimRef>,
    /// What recall has handed out came back, whatever the channel.
    pub re_entry: bool,
    /// Too many re-entries in too short a time; nothing was written.
    pub burst: bool,
}

/// What the gate let in, ready to be sealed. There is no other way to one than the gate.
#[derive(Debug, Clone)]
pub struct Approved {
    pub(crate) disposition: Disposition,
    pub(crate) row: GateRow,
    pub(crate) because: Reasons,
    pub(crate) document: Value,
}

impl Approved {
    /// The `data` of the World that becomes the unit.
    #[must_use]
    pub const fn document(&self) -> &Value {
        &self.document
    }

    /// What was decided.
    #[must_use]
    pub const fn disposition(&self) -> Disposition {
        self.disposition
    }

    /// Which row of the gate.
    #[must_use]
    pub const fn row(&self) -> GateRow {
        self.row
    }

    /// Why.
    #[must_use]
    pub const fn because(&self) -> &Reasons {
        &self.because
    }
}

/// What the gate says to a submission or an assertion.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum GateDecision {
    /// A unit is written.
    Write(Approved),
    /// Nothing is written; the claim that stands for it.
    Nothing {
        /// What became of it.
        disposition: Disposition,
        /// Which row.
        row: GateRow,
        /// Why.
        because: Reasons,
        /// The claim.
        reference: ClaimRef,
    },
    /// The same request was made before under its idempotency key: the first answer stands.
    Again(Box<Unit>),
}

/// What the caller hears, once it is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClaimOutcome {
    /// What became of it.
    pub disposition: Disposition,
    /// Which row of the gate.
    pub row: GateRow,
    /// Why.
    pub because: Reasons,
    /// The claim that stands for it: new, or the one that was there.
    pub reference: ClaimRef,
    /// The unit that was written, if one was: its World, log index and time.
    pub written: Option<(ClaimRef, u64, TransactionTime)>,
}

impl ClaimOutcome {
    /// The answer for a unit that was written: its claim, or the claim that it is about.
    #[must_use]
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

    /// The answer where nothing is written; `None` for a decision that something is.
    #[must_use]
    pub fn of_nothing(decision: &GateDecision) -> Option<Self> {
        match decision {
            GateDecision::Write(_) => None,
            GateDecision::Again(unit) => Some(Self::of_unit(unit)),
            GateDecision::Nothing {
                disposition,
                row,
                because,
                reference,
            } => Some(Self {
                disposition: *disposition,
                row: *row,
                because: because.clone(),
                reference: reference.clone(),
                written: None,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ActKind, Cardinality};

    /// CLM-9: each word on the wire names one thing.
    #[test]
    fn names_are_read_as_they_are_written() {
        for disposition in Disposition::ALL {
            assert_eq!(Disposition::named(disposition.name()), Some(disposition));
        }
        for act in ActKind::ALL {
            assert_eq!(ActKind::named(act.name()), Some(act));
        }
        for cardinality in Cardinality::ALL {
            assert_eq!(Cardinality::named(cardinality.name()), Some(cardinality));
        }
        assert_eq!(Disposition::named("Committed"), None);
    }

    /// CLM-17: a rationale names its row, and no two rows read alike.
    #[test]
    fn each_row_says_when_it_holds() {
        let mut names: Vec<&str> = (0..=8).map(|row| GateRow(row).name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 9);
    }
}
