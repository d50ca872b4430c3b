//! The evidence check: receipts offline, URLs through whoever fetches them (R11; docs/format/exchange.md §8.3).

use counterfoil_verifier::Anchors;

use super::{CheckResult, FailCode, SkipReason};

/// What was found at the URLs of a memory. The crate that fetches says so; this one fetches nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EvidenceFinding {
    /// Nobody looked.
    #[default]
    NotFetched,
    /// What is there has the hash.
    Fits,
    /// Something is there, without a hash to compare it with.
    Weak,
    /// What is there has another hash.
    Mismatch,
    /// Gone: 404 or 410.
    Dead,
    /// Could not be fetched in time; may be tried again, at most 3 times.
    Unreachable,
}

/// Under what receipts are checked: the responder's log key, and the keys of its agent.
#[derive(Debug, Clone, Default)]
pub struct Receipts {
    /// `None`: its log is not known, and receipts show nothing.
    pub anchors: Option<Anchors>,
}

impl EvidenceFinding {
    /// What is known after it was looked at once more: the lesser of both, so that looking again only lowers or confirms
    /// (case 110).
    #[must_use]
    pub fn rechecked(self, again: Self) -> Self {
        if again.rank() < self.rank() {
            again
        } else {
            self
        }
    }

    const fn rank(self) -> u8 {
        match self {
            Self::Mismatch => 0,
            Self::Dead => 1,
            Self::NotFetched | Self::Weak | Self::Unreachable => 2,
            Self::Fits => 3,
        }
    }

    /// The check, given what the receipt showed. A receipt that does not fit stays so; what lies at a URL that the memory
    /// does not have says nothing.
    pub(super) const fn beside(self, receipt: CheckResult) -> CheckResult {
        match (receipt, self) {
            (CheckResult::Fail(_) | CheckResult::Skip(SkipReason::NoEvidence), _)
            | (_, Self::NotFetched) => receipt,
            (_, Self::Mismatch) => CheckResult::Fail(FailCode::Mismatch),
            (_, Self::Dead) => CheckResult::Fail(FailCode::Dead),
            (CheckResult::Pass, _) | (_, Self::Fits) => CheckResult::Pass,
            (CheckResult::Skip(_), Self::Weak) => CheckResult::Skip(SkipReason::Weak),
            (CheckResult::Skip(_), Self::Unreachable) => CheckResult::Skip(SkipReason::Unreachable),
        }
    }
}
