//! From seven results to the disposition of a memory: a table without a score (MRP-30, R10).

use alloc::vec::Vec;

use counterfoil_types::words;

use super::{CheckKind, CheckResult, Checks, FailCode};
use crate::documents::Filters;
use crate::trust::Level;

words! {
    /// Disposition of a memory, from the lowest to the highest.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Disposition {
        /// Dropped.
        Reject = "reject",
        /// Shown as the word of another agent; no attestation is stored (level 0).
        RawOnly = "raw_only",
        /// Stored as unverified (level 1).
        StoredUnverified = "stored_unverified",
        /// Stored with medium trust (level 2).
        StoredMedium = "stored_medium",
        /// Stored with high trust (level 3).
        StoredHigh = "stored_high",
    }

    /// Note about a memory, stored with it.
    #[derive(PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Flag {
        /// Past its time.
        Stale = "stale",
        /// Contradicts own beliefs.
        Contested = "contested",
        /// Its evidence is gone.
        EvidenceDead = "evidence_dead",
        /// The chain of agents that handed it on is broken.
        ChainBroken = "chain_broken",
        /// An own memory that came back.
        Own = "own",
        /// Received before.
        Known = "known",
        /// Characters that hide or reorder text.
        SuspiciousText = "suspicious_text",
        /// A claim that the question did not ask for: kept as text.
        Unasked = "unasked",
        /// A claim whose words do not state its subject, predicate and value: kept as text.
        OtherWords = "other_words",
    }
}

impl Disposition {
    /// The disposition by a level, unless a check lowers it.
    pub const fn of_level(level: Level) -> Self {
        match level {
            Level::Anonymous => Self::RawOnly,
            Level::Identified => Self::StoredUnverified,
            Level::Vouched => Self::StoredMedium,
            Level::Direct => Self::StoredHigh,
        }
    }

    /// The level at which a memory of this disposition is stored.
    pub const fn level(self) -> Level {
        match self {
            Self::Reject | Self::RawOnly => Level::Anonymous,
            Self::StoredUnverified => Level::Identified,
            Self::StoredMedium => Level::Vouched,
            Self::StoredHigh => Level::Direct,
        }
    }

    /// The highest disposition that one result allows: the table of docs/format/exchange.md §8.
    const fn allowed_by(kind: CheckKind, result: CheckResult, level: Level) -> Self {
        use CheckKind as K;
        use CheckResult as R;
        match (kind, result) {
            (_, R::Pass)
            | (K::Record | K::Evidence | K::Freshness, R::Skip(_))
            | (K::Evidence, R::Fail(FailCode::Dead))
            | (K::Freshness, R::Fail(FailCode::Stale))
            | (K::Consistency, _) => Self::StoredHigh,
            (K::Vouch, R::Skip(_)) if matches!(level, Level::Direct) => Self::StoredHigh,
            (K::Signature, R::Skip(_)) | (K::Vouch, _) => Self::StoredUnverified,
            (K::Identity, R::Skip(_)) => Self::RawOnly,
            (K::Identity | K::Signature | K::Record | K::Evidence | K::Freshness, R::Fail(_)) => {
                Self::Reject
            }
        }
    }
}

/// Decides from the results of the checks and the level of the source: the disposition, and notes in the order of [`Flag`].
///
/// Law: no result turned from Pass to Skip or to Fail, and no lower level, gives a higher disposition.
pub fn dispose(checks: &Checks, level: Level, demands: Filters) -> (Disposition, Vec<Flag>) {
    let dead = checks.evidence == CheckResult::Fail(FailCode::Dead);
    let lowered = if dead { level.lowered() } else { level };
    let allowed = CheckKind::ALL
        .into_iter()
        .map(|kind| Disposition::allowed_by(kind, checks.of(kind), level));
    let most = Disposition::of_level(lowered).min(allowed.min().unwrap_or(Disposition::Reject));
    // A directly trusted agent needs no voucher.
    let trusted = level == Level::Direct && !checks.vouch.is_fail();
    let has_evidence = !demands.require_evidence || checks.evidence.is_pass();
    let has_vouches = !demands.require_vouches || checks.vouch.is_pass() || trusted;
    let has_level = most.level().number() >= demands.min_trust_level.unwrap_or(0);
    let disposition = match has_evidence && has_vouches && has_level {
        true => most,
        false => Disposition::Reject,
    };
    let stale = checks.freshness == CheckResult::Fail(FailCode::Stale);
    let flags = [
        (Flag::Stale, stale),
        (Flag::Contested, checks.consistency.is_fail()),
        (Flag::EvidenceDead, dead),
    ];
    let flags = flags.into_iter();
    let flags = flags.filter_map(|(flag, holds)| holds.then_some(flag));
    (disposition, flags.collect())
}
