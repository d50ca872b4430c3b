//! Verdicts about a received capsule.

use counterfoil_capsule::keys::KeyError;
use counterfoil_capsule::{Check, Header, IndeterminateReason, SaltedBody};
use counterfoil_types::json::{Limits, Value, parse};

use crate::entries::Slot;

/// Verdict about a received capsule.
#[derive(Debug)]
pub(crate) enum Judgement {
    /// Capsule that is here already: accepted, or in a branch.
    Known,
    /// Every check held, and its place is free.
    Accept,
    /// Something is missing.
    Pending(Missing),
    /// It names another predecessor than the accepted one, which is in this slot: its branch is missing.
    Stray(Box<Slot>),
    /// A check failed.
    Refuse(Box<Refusal>),
    /// Its agent signed another capsule for its place, which is accepted here.
    Fork(Box<Slot>),
    /// Capsule that continues a branch beside the chain.
    OfBranch,
}

/// Thing that a capsule waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Reason given by the checks.
    Of(IndeterminateReason),
    /// A decision about the fork of its chain.
    Resolution,
    /// Its chain's name, which another agent's chain has here.
    Chain,
    /// Its WorldId, which names something else here.
    World,
    /// A key: the one that signs it is in other hands, and its place is taken.
    Key,
    /// The branch that it continues: it names another predecessor than the accepted one.
    Branch,
    /// Room behind its chain: the log did not take it.
    Place,
}

impl Missing {
    /// Event kind of waiting that is a contradiction.
    pub(super) const fn contradiction(self) -> Option<&'static str> {
        match self {
            Self::Chain => Some("E_CHAIN_TAKEN"),
            Self::World => Some("E_WORLD_TAKEN"),
            Self::Key => Some("E_KEY_COMPROMISED"),
            Self::Of(_) | Self::Resolution | Self::Branch | Self::Place => None,
        }
    }

    /// Code in the table `held`.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::Resolution => "forked",
            Self::Chain => "chain_taken",
            Self::World => "world_taken",
            Self::Key => "key_compromised",
            Self::Branch => "other_previous",
            Self::Place => "not_appended",
            Self::Of(reason) => match reason {
                IndeterminateReason::MissingParent => "missing_parent",
                IndeterminateReason::MissingKey => "missing_key",
                IndeterminateReason::UnknownVersion => "unknown_version",
                IndeterminateReason::UnknownKind => "unknown_kind",
                IndeterminateReason::FutureTimestamp => "future_timestamp",
                IndeterminateReason::BodyErased => "body_erased",
                IndeterminateReason::BodyArchived => "body_archived",
                _ => "unknown",
            },
        }
    }
}

/// Reason for refusing a capsule.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub(crate) check: Check,
    pub(crate) code: String,
    /// True if the signature of the agent's key over the entry holds.
    pub(crate) signed: bool,
    /// The capsule that it should have followed, where the failure is against that one.
    pub(crate) against: Option<Header>,
}

pub(super) fn content(payload: Option<&SaltedBody>) -> Option<Value> {
    parse(payload?.text.as_bytes(), Limits::CONTENT).ok()
}

pub(super) fn by_keys(error: &KeyError) -> Judgement {
    if error.is_indeterminate() {
        return pending(IndeterminateReason::MissingKey);
    }
    refused(Check::Key, error.code())
}

pub(super) const fn pending(reason: IndeterminateReason) -> Judgement {
    Judgement::Pending(Missing::Of(reason))
}

/// A failure that only this store sees: the signature held.
pub(super) fn refused(check: Check, code: &str) -> Judgement {
    Judgement::Refuse(Box::new(Refusal {
        check,
        code: code.to_owned(),
        signed: true,
        against: None,
    }))
}
