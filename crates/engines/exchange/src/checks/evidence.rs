//! The evidence check: receipts offline, URLs by findings of the host (R11; docs/format/exchange.md §8.3).

use super::{CheckResult, FailCode, SkipReason};

/// Finding at the URLs of a memory, by the crate that fetches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EvidenceFinding {
    /// Not fetched.
    #[default]
    NotFetched,
    /// Content of the named hash.
    Fits,
    /// Content, without a hash to compare it with.
    Weak,
    /// Content of another hash.
    Mismatch,
    /// Gone: 404 or 410.
    Dead,
    /// Not fetched in time; may be tried again, at most 3 times.
    Unreachable,
}

impl EvidenceFinding {
    /// The lesser of this finding and a later one, so that a second look only lowers or confirms (case 110).
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

    /// The result of the check with the result of the receipt. A receipt that does not fit fails the check; without evidence in
    /// the memory the finding is ignored.
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
