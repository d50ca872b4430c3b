//! What a unit does: states a claim, or asserts something of one.

use alloc::vec::Vec;

use crate::time::{Boundary, ValidTime};
use crate::{Cardinality, ClaimRef, FactValue, SourceKey};

/// What a unit does.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Act {
    /// States a fact.
    Claim(ClaimBody),
    /// The target no longer holds from the begin of `at` on.
    Bound {
        /// Which claim.
        target: ClaimRef,
        /// From when on.
        at: Boundary,
    },
    /// What these units did to the target is undone.
    Reopen {
        /// Which claim.
        target: ClaimRef,
        /// Bounds and denials of it.
        undoes: Vec<ClaimRef>,
    },
    /// Another claim takes the target's place.
    Supersede {
        /// Which claim.
        target: ClaimRef,
        /// The one that takes its place, from its start on.
        by: ClaimRef,
    },
    /// The target holds; its rivals lose.
    Affirm {
        /// Which claim.
        target: ClaimRef,
        /// Those that overlap it.
        rivals: Vec<ClaimRef>,
    },
    /// The target does not hold.
    Deny {
        /// Which claim.
        target: ClaimRef,
    },
    /// Nobody can tell; target and rivals stay.
    Undecided {
        /// Which claim.
        target: ClaimRef,
    },
    /// The target leaves quarantine.
    Release {
        /// Which claim.
        target: ClaimRef,
    },
    /// Independent sources say the same.
    Corroborate {
        /// Which claim.
        target: ClaimRef,
        /// Sources that neither it nor its corroborations had.
        sources: Vec<SourceKey>,
    },
}

/// What kind an [`Act`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ActKind {
    /// See [`Act::Claim`].
    Claim,
    /// See [`Act::Bound`].
    Bound,
    /// See [`Act::Reopen`].
    Reopen,
    /// See [`Act::Supersede`].
    Supersede,
    /// See [`Act::Affirm`].
    Affirm,
    /// See [`Act::Deny`].
    Deny,
    /// See [`Act::Undecided`].
    Undecided,
    /// See [`Act::Release`].
    Release,
    /// See [`Act::Corroborate`].
    Corroborate,
}

/// A claim.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimBody {
    /// What is said of the line.
    pub value: FactValue,
    /// When it is said to hold, if that was said.
    pub valid: Option<ValidTime>,
    /// What was said of the line's cardinality; `Unknown` where a model said so.
    pub cardinality: Cardinality,
    /// What the host has registered for the predicate.
    pub registered: Option<Cardinality>,
    /// Claims whose place it takes, from its start on.
    pub supersedes: Vec<ClaimRef>,
}

impl Act {
    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> ActKind {
        match self {
            Self::Claim(_) => ActKind::Claim,
            Self::Bound { .. } => ActKind::Bound,
            Self::Reopen { .. } => ActKind::Reopen,
            Self::Supersede { .. } => ActKind::Supersede,
            Self::Affirm { .. } => ActKind::Affirm,
            Self::Deny { .. } => ActKind::Deny,
            Self::Undecided { .. } => ActKind::Undecided,
            Self::Release { .. } => ActKind::Release,
            Self::Corroborate { .. } => ActKind::Corroborate,
        }
    }

    /// The claim that it is about; `None` for a claim.
    #[must_use]
    pub const fn target(&self) -> Option<&ClaimRef> {
        match self {
            Self::Claim(_) => None,
            Self::Bound { target, .. }
            | Self::Reopen { target, .. }
            | Self::Supersede { target, .. }
            | Self::Affirm { target, .. }
            | Self::Deny { target }
            | Self::Undecided { target }
            | Self::Release { target }
            | Self::Corroborate { target, .. } => Some(target),
        }
    }
}

impl ActKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Claim,
        Self::Bound,
        Self::Reopen,
        Self::Supersede,
        Self::Affirm,
        Self::Deny,
        Self::Undecided,
        Self::Release,
        Self::Corroborate,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Bound => "bound",
            Self::Reopen => "reopen",
            Self::Supersede => "supersede",
            Self::Affirm => "affirm",
            Self::Deny => "deny",
            Self::Undecided => "undecided",
            Self::Release => "release",
            Self::Corroborate => "corroborate",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
