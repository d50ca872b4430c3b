//! From six results to what becomes of a memory: a table, no score (MRP-30, R10).

use alloc::vec::Vec;

use super::{CheckKind, CheckResult, Checks, FailCode};
use crate::trust::Level;

/// What becomes of a memory. A higher one is more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Disposition {
    /// Dropped.
    Reject,
    /// Shown as what somebody said; no attestation is stored (level 0).
    RawOnly,
    /// Stored as unverified (level 1).
    StoredUnverified,
    /// Stored with medium trust (level 2).
    StoredMedium,
    /// Stored with high trust (level 3).
    StoredHigh,
}

/// What is kept in mind of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Flag {
    /// Past its time.
    Stale,
    /// Contradicts what I believe.
    Contested,
    /// Its evidence is gone.
    EvidenceDead,
    /// The chain of those who handed it on is broken.
    ChainBroken,
    /// It is my own, come back.
    Own,
    /// I have heard it before.
    Known,
    /// It holds characters that hide or reorder text.
    SuspiciousText,
}

/// What the asker demands beyond the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Demands {
    /// Evidence that was checked.
    pub require_evidence: bool,
    /// Somebody who vouches.
    pub require_vouches: bool,
    /// At least this level.
    pub min_level: Level,
}

/// What becomes of a memory, and what is kept in mind of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// What becomes of it.
    pub disposition: Disposition,
    /// The level at which it is stored.
    pub level: Level,
    /// What is kept in mind, in the order of [`Flag`], each once.
    pub flags: Vec<Flag>,
}

impl Disposition {
    /// All, from least to most.
    pub const ALL: [Self; 5] = [
        Self::Reject,
        Self::RawOnly,
        Self::StoredUnverified,
        Self::StoredMedium,
        Self::StoredHigh,
    ];

    /// The name in documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reject => "reject",
            Self::RawOnly => "raw_only",
            Self::StoredUnverified => "stored_unverified",
            Self::StoredMedium => "stored_medium",
            Self::StoredHigh => "stored_high",
        }
    }

    /// What a level gives when nothing is found against it.
    #[must_use]
    pub const fn of_level(level: Level) -> Self {
        match level {
            Level::Anonymous => Self::RawOnly,
            Level::Identified => Self::StoredUnverified,
            Level::Vouched => Self::StoredMedium,
            Level::Direct => Self::StoredHigh,
        }
    }

    /// The level that it stands for.
    #[must_use]
    pub const fn level(self) -> Level {
        match self {
            Self::Reject | Self::RawOnly => Level::Anonymous,
            Self::StoredUnverified => Level::Identified,
            Self::StoredMedium => Level::Vouched,
            Self::StoredHigh => Level::Direct,
        }
    }
}

impl Flag {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Stale,
        Self::Contested,
        Self::EvidenceDead,
        Self::ChainBroken,
        Self::Own,
        Self::Known,
        Self::SuspiciousText,
    ];

    /// The name in documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Contested => "contested",
            Self::EvidenceDead => "evidence_dead",
            Self::ChainBroken => "chain_broken",
            Self::Own => "own",
            Self::Known => "known",
            Self::SuspiciousText => "suspicious_text",
        }
    }
}

/// Decides, from what the checks found and the level of whoever stands behind it.
///
/// Law: no result turned from Pass to Skip or to Fail, and no lower level, gives a higher disposition.
#[must_use]
pub fn dispose(checks: &Checks, level: Level, demands: Demands) -> Outcome {
    let dead = checks.evidence == CheckResult::Fail(FailCode::Dead);
    let lowered = if dead { level.lowered() } else { level };
    let left = CheckKind::ALL
        .into_iter()
        .map(|kind| leaves(kind, checks.of(kind), level));
    let most = Disposition::of_level(lowered).min(left.min().unwrap_or(Disposition::Reject));
    let disposition = if meets(checks, level, most.level(), demands) {
        most
    } else {
        Disposition::Reject
    };
    let found = [
        (
            Flag::Stale,
            checks.freshness == CheckResult::Fail(FailCode::Stale),
        ),
        (Flag::Contested, checks.consistency.is_fail()),
        (Flag::EvidenceDead, dead),
    ];
    let flags = found
        .into_iter()
        .filter_map(|(flag, holds)| holds.then_some(flag))
        .collect();
    Outcome {
        disposition,
        level: disposition.level(),
        flags,
    }
}

/// The most that is left by one result: the table of docs/format/exchange.md §8.
const fn leaves(kind: CheckKind, result: CheckResult, level: Level) -> Disposition {
    use CheckKind as K;
    use CheckResult as R;
    match (kind, result) {
        (_, R::Pass)
        | (K::Evidence | K::Freshness, R::Skip(_))
        | (K::Evidence, R::Fail(FailCode::Dead))
        | (K::Freshness, R::Fail(FailCode::Stale))
        | (K::Consistency, _) => Disposition::StoredHigh,
        (K::Vouch, R::Skip(_)) if matches!(level, Level::Direct) => Disposition::StoredHigh,
        (K::Signature, R::Skip(_)) | (K::Vouch, _) => Disposition::StoredUnverified,
        (K::Identity, R::Skip(_)) => Disposition::RawOnly,
        (K::Identity | K::Signature | K::Evidence | K::Freshness, R::Fail(_)) => {
            Disposition::Reject
        }
    }
}

/// Is what the asker demands there? Whom I trust directly nobody else has to vouch for.
fn meets(checks: &Checks, level: Level, stored: Level, demands: Demands) -> bool {
    let evidence = !demands.require_evidence || checks.evidence.is_pass();
    let mine = level == Level::Direct && !checks.vouch.is_fail();
    let vouches = !demands.require_vouches || checks.vouch.is_pass() || mine;
    evidence && vouches && stored >= demands.min_level
}
