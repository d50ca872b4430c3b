//! Transaction time: when the store recorded a unit (I2). Only the engine makes one.

/// Microseconds since 1970, UTC: the timestamp of the unit's capsule, strictly increasing per agent.
///
/// Without a public constructor: it is read from the unit's capsule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransactionTime(u64);

impl TransactionTime {
    pub(crate) const fn recorded(micros: u64) -> Self {
        Self(micros)
    }

    /// Microseconds since 1970.
    #[must_use]
    pub const fn micros(self) -> u64 {
        self.0
    }
}
