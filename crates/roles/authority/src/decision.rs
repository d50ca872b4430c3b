//! The decision, made in one place and only from a verified trace (style rule 5; §7.1 step 10).

use alloc::vec::Vec;

use serde::Serialize;

use crate::Ground;

/// What an authority decides about a proposal's memories, and on what grounds.
///
/// `Approved` says that the memories are as the policy asks; it says nothing about the intent.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    verdict: Verdict,
    grounds: Vec<Ground>,
}

/// The decision in one word. Ordered: the worse of two is the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The memories satisfy the policy.
    Approved,
    /// The policy leaves it to someone else.
    Indeterminate,
    /// The memories do not satisfy the policy.
    Rejected,
}

impl Decision {
    /// The worst verdict that a ground points to; without any ground, rejected. What speaks for the
    /// proposal is not repeated where something speaks against it.
    pub(crate) fn on(mut grounds: Vec<Ground>) -> Self {
        let worst = grounds.iter().map(Ground::points_to).max();
        let verdict = worst.unwrap_or(Verdict::Rejected);
        if verdict != Verdict::Approved {
            grounds.retain(|ground| ground.points_to() != Verdict::Approved);
        }
        Self { verdict, grounds }
    }

    /// The decision in one word.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// What it rests on; never empty.
    #[must_use]
    pub fn grounds(&self) -> &[Ground] {
        &self.grounds
    }
}

impl Verdict {
    /// `approved`, `indeterminate` or `rejected`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Indeterminate => "indeterminate",
            Self::Rejected => "rejected",
        }
    }
}
