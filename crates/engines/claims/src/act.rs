//! Acts of units: stating a claim, or asserting something of one.

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::words;
use serde::{Deserialize, Serialize};

use crate::limits::{MAX_REFS, distinct};
use crate::time::{Boundary, ValidTime};
use crate::{Cardinality, ClaimRef, FactValue, Identifier, SourceKey};

/// Act of a unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Act {
    /// States a fact.
    Claim(ClaimBody),
    /// Ends the target at the begin of `at`.
    Bound {
        /// Claim that ends.
        target: ClaimRef,
        /// End; its begin counts.
        at: Boundary,
    },
    /// Undoes the effect of units on the target.
    Reopen {
        /// Claim that is reopened.
        target: ClaimRef,
        /// Bounds and denials of the target, at most 256.
        undoes: Vec<ClaimRef>,
    },
    /// Puts another claim in the target's place.
    Supersede {
        /// Claim that is superseded.
        target: ClaimRef,
        /// Claim that takes its place, from its own start on.
        by: ClaimRef,
    },
    /// Decides for the target: its rivals lose.
    Affirm {
        /// Claim that holds.
        target: ClaimRef,
        /// Claims that overlap it, at most 256.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        rivals: Vec<ClaimRef>,
    },
    /// Decides against the target.
    Deny {
        /// Claim that does not hold.
        target: ClaimRef,
    },
    /// Records that an oracle had no verdict; target and rivals stay.
    Undecided {
        /// Claim that stays contested.
        target: ClaimRef,
    },
    /// Takes the target out of quarantine.
    Release {
        /// Claim that is released.
        target: ClaimRef,
    },
    /// Adds independent sources of the same claim.
    Corroborate {
        /// Claim that is corroborated.
        target: ClaimRef,
        /// Sources that neither the claim nor its corroborations had, at most 16.
        sources: Vec<SourceKey>,
    },
    /// A source of the claim says it again, a day later at least.
    Confirm {
        /// Claim that is confirmed.
        target: ClaimRef,
    },
    /// Takes the target back: it was said wrongly, and never held.
    Retract {
        /// Claim that is taken back.
        target: ClaimRef,
        /// Claims whose place the target took when it was stated, and that hold again; at most 16.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        frees: Vec<ClaimRef>,
        /// Why, 1 to 512 bytes without control characters.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

words! {
    /// Kind of an [`Act`].
    #[derive(PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ActKind {
        /// See [`Act::Claim`].
        Claim = "claim",
        /// See [`Act::Bound`].
        Bound = "bound",
        /// See [`Act::Reopen`].
        Reopen = "reopen",
        /// See [`Act::Supersede`].
        Supersede = "supersede",
        /// See [`Act::Affirm`].
        Affirm = "affirm",
        /// See [`Act::Deny`].
        Deny = "deny",
        /// See [`Act::Undecided`].
        Undecided = "undecided",
        /// See [`Act::Release`].
        Release = "release",
        /// See [`Act::Corroborate`].
        Corroborate = "corroborate",
        /// See [`Act::Confirm`].
        Confirm = "confirm",
        /// See [`Act::Retract`].
        Retract = "retract",
    }
}

/// Content of a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "ClaimMembers", into = "ClaimMembers")]
pub struct ClaimBody {
    /// Value of the line.
    pub value: FactValue,
    /// Time at which the value holds, if the source gave one.
    pub valid: Option<ValidTime>,
    /// Cardinality that the source gave; `Unknown` if the source is a model.
    pub cardinality: Cardinality,
    /// Cardinality that the host has registered for the predicate.
    pub registered: Option<Cardinality>,
    /// Claims whose place it takes, from its start on; at most 16.
    pub supersedes: Vec<ClaimRef>,
    /// Domain about which another agent was asked, if one was: trust in that agent is looked up for it.
    pub domain: Option<Identifier>,
}

/// [`ClaimBody`] as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimMembers {
    value: FactValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid: Option<ValidTime>,
    cardinality: CardinalityMembers,
    #[serde(
        default,
        deserialize_with = "distinct::<_, _, MAX_REFS>",
        skip_serializing_if = "Vec::is_empty"
    )]
    supersedes: Vec<ClaimRef>,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<Identifier>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CardinalityMembers {
    said: Cardinality,
    #[serde(skip_serializing_if = "Option::is_none")]
    registered: Option<Cardinality>,
}

impl From<ClaimMembers> for ClaimBody {
    fn from(members: ClaimMembers) -> Self {
        Self {
            value: members.value,
            valid: members.valid,
            cardinality: members.cardinality.said,
            registered: members.cardinality.registered,
            supersedes: members.supersedes,
            domain: members.domain,
        }
    }
}

impl From<ClaimBody> for ClaimMembers {
    fn from(body: ClaimBody) -> Self {
        Self {
            value: body.value,
            valid: body.valid,
            cardinality: CardinalityMembers {
                said: body.cardinality,
                registered: body.registered,
            },
            supersedes: body.supersedes,
            domain: body.domain,
        }
    }
}

impl Act {
    /// Kind of the act.
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
            Self::Confirm { .. } => ActKind::Confirm,
            Self::Retract { .. } => ActKind::Retract,
        }
    }

    /// Claim that an assertion is about; `None` for a claim.
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
            | Self::Corroborate { target, .. }
            | Self::Confirm { target }
            | Self::Retract { target, .. } => Some(target),
        }
    }
}
