//! What a check found.

use core::fmt;

/// The six checks, in the order of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckKind {
    /// Is the responder who they claim to be?
    Identity,
    /// Do the signatures hold?
    Signature,
    /// Is there evidence, and does it fit?
    Evidence,
    /// Is the memory current?
    Freshness,
    /// Does somebody vouch whom I trust?
    Vouch,
    /// Does it contradict what I believe?
    Consistency,
}

/// What a check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckResult {
    /// It holds.
    Pass,
    /// It does not.
    Fail(FailCode),
    /// It says nothing; it never raises anything (R10).
    Skip(SkipReason),
}

/// Why a check failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FailCode {
    /// identity: another key than the pinned one, or than `public_key`.
    OtherKey,
    /// identity: for another audience, question or nonce.
    OtherBinding,
    /// signature: does not hold.
    BadSignature,
    /// signature: none, of somebody who is known to sign.
    MissingSignature,
    /// signature: a hop of its way does not hold.
    BadHop,
    /// evidence: receipt or hash is of something else.
    Mismatch,
    /// evidence: gone.
    Dead,
    /// freshness: past its time.
    Stale,
    /// freshness: dated in the future.
    Future,
    /// vouch: disputed by one whom I trust directly, or marked.
    Disputed,
    /// consistency: contradicts what I believe.
    Contradicts,
}

/// Why a check says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// identity: there is no key.
    NoKey,
    /// signature: nothing is signed.
    Unsigned,
    /// signature: a draft's, which covers what it likes.
    Draft,
    /// evidence: there is none.
    NoEvidence,
    /// evidence: there are URLs, and fetching is off or not allowed.
    NotFetched,
    /// evidence: could not be fetched in time.
    Unreachable,
    /// evidence: there is something, and no hash to compare it with.
    Weak,
    /// evidence: a receipt of a log whose key is not pinned.
    UnknownLog,
    /// freshness: it has no date.
    Undated,
    /// freshness: under a condition that nobody here can judge.
    Conditional,
    /// vouch: nobody vouches.
    NoVouches,
    /// consistency: nothing to compare with.
    NotComparable,
}

/// What the six checks found of one memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Checks {
    /// Is the responder who they claim to be?
    pub identity: CheckResult,
    /// Do the signatures hold?
    pub signature: CheckResult,
    /// Is there evidence, and does it fit?
    pub evidence: CheckResult,
    /// Is the memory current?
    pub freshness: CheckResult,
    /// Does somebody vouch whom I trust?
    pub vouch: CheckResult,
    /// Does it contradict what I believe?
    pub consistency: CheckResult,
}

impl CheckKind {
    /// All, in the order of the protocol.
    pub const ALL: [Self; 6] = [
        Self::Identity,
        Self::Signature,
        Self::Evidence,
        Self::Freshness,
        Self::Vouch,
        Self::Consistency,
    ];

    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Signature => "signature",
            Self::Evidence => "evidence",
            Self::Freshness => "freshness",
            Self::Vouch => "vouch",
            Self::Consistency => "consistency",
        }
    }
}

impl CheckResult {
    /// Does it hold?
    #[must_use]
    pub const fn is_pass(self) -> bool {
        matches!(self, Self::Pass)
    }

    /// Did it fail?
    #[must_use]
    pub const fn is_fail(self) -> bool {
        matches!(self, Self::Fail(_))
    }

    /// The lesser of two that must both hold: a Fail before a Skip before a Pass, and the first of equals.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Fail(_), _) | (Self::Skip(_), Self::Skip(_) | Self::Pass) => self,
            (Self::Skip(_) | Self::Pass, _) => other,
        }
    }
}

impl Checks {
    /// One of them.
    #[must_use]
    pub const fn of(&self, kind: CheckKind) -> CheckResult {
        match kind {
            CheckKind::Identity => self.identity,
            CheckKind::Signature => self.signature,
            CheckKind::Evidence => self.evidence,
            CheckKind::Freshness => self.freshness,
            CheckKind::Vouch => self.vouch,
            CheckKind::Consistency => self.consistency,
        }
    }
}

impl FailCode {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::OtherKey,
        Self::OtherBinding,
        Self::BadSignature,
        Self::MissingSignature,
        Self::BadHop,
        Self::Mismatch,
        Self::Dead,
        Self::Stale,
        Self::Future,
        Self::Disputed,
        Self::Contradicts,
    ];

    /// The word for programs.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::OtherKey => "other-key",
            Self::OtherBinding => "other-binding",
            Self::BadSignature => "bad-signature",
            Self::MissingSignature => "missing-signature",
            Self::BadHop => "bad-hop",
            Self::Mismatch => "mismatch",
            Self::Dead => "dead",
            Self::Stale => "stale",
            Self::Future => "future",
            Self::Disputed => "disputed",
            Self::Contradicts => "contradicts",
        }
    }
}

impl SkipReason {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::NoKey,
        Self::Unsigned,
        Self::Draft,
        Self::NoEvidence,
        Self::NotFetched,
        Self::Unreachable,
        Self::Weak,
        Self::UnknownLog,
        Self::Undated,
        Self::Conditional,
        Self::NoVouches,
        Self::NotComparable,
    ];

    /// The word for programs.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::NoKey => "no-key",
            Self::Unsigned => "unsigned",
            Self::Draft => "draft",
            Self::NoEvidence => "no-evidence",
            Self::NotFetched => "not-fetched",
            Self::Unreachable => "unreachable",
            Self::Weak => "weak",
            Self::UnknownLog => "unknown-log",
            Self::Undated => "undated",
            Self::Conditional => "conditional",
            Self::NoVouches => "no-vouches",
            Self::NotComparable => "not-comparable",
        }
    }
}

impl fmt::Display for CheckResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass => f.write_str("pass"),
            Self::Fail(code) => write!(f, "fail ({})", code.word()),
            Self::Skip(reason) => write!(f, "skip ({})", reason.word()),
        }
    }
}
