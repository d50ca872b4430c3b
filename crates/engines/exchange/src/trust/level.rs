//! The four trust levels of the protocol (MRP "Trust Levels").

use core::fmt;

/// Trust level of an agent. Vouches give at most [`Vouched`](Self::Vouched).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Level {
    /// An agent without a valid proof of possession.
    #[default]
    Anonymous,
    /// A key.
    Identified,
    /// A key that trusted agents vouch for.
    Vouched,
    /// A key that this agent trusts itself.
    Direct,
}

impl Level {
    /// All levels, from the lowest to the highest.
    pub const ALL: [Self; 4] = [
        Self::Anonymous,
        Self::Identified,
        Self::Vouched,
        Self::Direct,
    ];

    /// Number of the level, 0 to 3.
    pub const fn number(self) -> u8 {
        match self {
            Self::Anonymous => 0,
            Self::Identified => 1,
            Self::Vouched => 2,
            Self::Direct => 3,
        }
    }

    /// The level of that number.
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The next lower level; the lowest stays.
    #[must_use]
    pub const fn lowered(self) -> Self {
        match self {
            Self::Direct => Self::Vouched,
            Self::Vouched => Self::Identified,
            Self::Identified | Self::Anonymous => Self::Anonymous,
        }
    }

    /// The name in documents and on the command line.
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
