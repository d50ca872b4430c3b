//! Results of checks.

use core::fmt;

use counterfoil_types::words;

words! {
    /// The seven checks, in the order of the protocol.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum CheckKind {
        /// The responder is the agent that it names.
        Identity = "identity",
        /// The signatures hold.
        Signature = "signature",
        /// A pinned log holds the memory: the responder recorded these words. It says nothing of their truth.
        Record = "record",
        /// The evidence that the memory cites was fetched and has the named hash, or is an own memory of that hash.
        Evidence = "evidence",
        /// The memory is current.
        Freshness = "freshness",
        /// A trusted agent vouches for the source.
        Vouch = "vouch",
        /// The memory does not contradict own beliefs.
        Consistency = "consistency",
    }

    /// Reason of a failed check.
    #[derive(PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum FailCode {
        /// identity: another key than the pinned one, or than `public_key`.
        OtherKey = "other-key",
        /// identity: for another audience, question or nonce.
        OtherBinding = "other-binding",
        /// signature: does not hold.
        BadSignature = "bad-signature",
        /// signature: none, of an agent that is known to sign.
        MissingSignature = "missing-signature",
        /// signature: a hop does not hold.
        BadHop = "bad-hop",
        /// signature: the attestation of the origin does not hold, or is of something else.
        BadOrigin = "bad-origin",
        /// record, evidence: the receipt or the fetched content is of another content.
        Mismatch = "mismatch",
        /// evidence: gone.
        Dead = "dead",
        /// freshness: past its time.
        Stale = "stale",
        /// freshness: dated in the future.
        Future = "future",
        /// vouch: disputed by a directly trusted agent, or marked.
        Disputed = "disputed",
        /// consistency: contradicts own beliefs.
        Contradicts = "contradicts",
    }

    /// Reason of a skipped check.
    #[derive(PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum SkipReason {
        /// identity: no key.
        NoKey = "no-key",
        /// signature: none.
        Unsigned = "unsigned",
        /// signature: of a draft, which covers any part of it.
        Draft = "draft",
        /// record: no receipt.
        NoReceipt = "no-receipt",
        /// evidence: none.
        NoEvidence = "no-evidence",
        /// evidence: URLs, and fetching is off or not allowed.
        NotFetched = "not-fetched",
        /// evidence: not fetched in time.
        Unreachable = "unreachable",
        /// evidence: fetched, without a hash to compare it with.
        Weak = "weak",
        /// record: a receipt of a log whose key is not pinned.
        UnknownLog = "unknown-log",
        /// freshness: no date.
        Undated = "undated",
        /// freshness: under a condition, which is not evaluated.
        Conditional = "conditional",
        /// vouch: none.
        NoVouches = "no-vouches",
        /// consistency: no belief to compare with.
        NotComparable = "not-comparable",
    }
}

/// Result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckResult {
    /// The check passed.
    Pass,
    /// The check failed.
    Fail(FailCode),
    /// The check has no result; it never raises a disposition (R10).
    Skip(SkipReason),
}

/// Results of the seven checks of one memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Checks {
    /// The responder is the agent that it names.
    pub identity: CheckResult,
    /// The signatures hold.
    pub signature: CheckResult,
    /// A pinned log holds the memory.
    pub record: CheckResult,
    /// The evidence that the memory cites fits.
    pub evidence: CheckResult,
    /// The memory is current.
    pub freshness: CheckResult,
    /// A trusted agent vouches for the source.
    pub vouch: CheckResult,
    /// The memory does not contradict own beliefs.
    pub consistency: CheckResult,
}

impl CheckResult {
    /// Evidence at URLs that were not fetched.
    pub const NOT_FETCHED: Self = Self::Skip(SkipReason::NotFetched);
    /// Evidence that was not fetched in time; it may be tried again.
    pub const UNREACHABLE: Self = Self::Skip(SkipReason::Unreachable);

    /// Did the check pass?
    pub const fn is_pass(self) -> bool {
        matches!(self, Self::Pass)
    }

    /// Did the check fail?
    pub const fn is_fail(self) -> bool {
        matches!(self, Self::Fail(_))
    }

    /// The lesser of two results that must both hold: a Fail before a Skip before a Pass, and the first of equals.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Fail(_), _) | (Self::Skip(_), Self::Skip(_) | Self::Pass) => self,
            (Self::Skip(_) | Self::Pass, _) => other,
        }
    }
}

impl Checks {
    /// The result of one check.
    pub const fn of(&self, kind: CheckKind) -> CheckResult {
        match kind {
            CheckKind::Identity => self.identity,
            CheckKind::Signature => self.signature,
            CheckKind::Record => self.record,
            CheckKind::Evidence => self.evidence,
            CheckKind::Freshness => self.freshness,
            CheckKind::Vouch => self.vouch,
            CheckKind::Consistency => self.consistency,
        }
    }
}

impl fmt::Display for CheckResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass => f.write_str("pass"),
            Self::Fail(code) => write!(f, "fail ({code})"),
            Self::Skip(reason) => write!(f, "skip ({reason})"),
        }
    }
}
