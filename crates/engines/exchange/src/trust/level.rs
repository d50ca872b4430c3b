//! The four trust levels of the protocol (MRP "Trust Levels").

use core::fmt;

/// How far an agent is trusted. Vouches give at most [`Vouched`](Self::Vouched).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Level {
    /// Nobody: no valid proof of possession.
    #[default]
    Anonymous,
    /// A key.
    Identified,
    /// A key that those vouch for whom I trust.
    Vouched,
    /// A key that I trust myself.
    Direct,
}

impl Level {
    /// All, from none to most.
    pub const ALL: [Self; 4] = [
        Self::Anonymous,
        Self::Identified,
        Self::Vouched,
        Self::Direct,
    ];

    /// 0 to 3.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Anonymous => 0,
            Self::Identified => 1,
            Self::Vouched => 2,
            Self::Direct => 3,
        }
    }

    /// The level of that number.
    #[must_use]
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// One less, and never below none.
    #[must_use]
    pub const fn lowered(self) -> Self {
        match self {
            Self::Direct => Self::Vouched,
            Self::Vouched => Self::Identified,
            Self::Identified | Self::Anonymous => Self::Anonymous,
        }
    }

    /// The name in documents and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anonymous => "anonymous",
            Self::Identified => "identified",
            Self::Vouched => "vouched",
            Self::Direct => "direct",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.number(), self.name())
    }
}
