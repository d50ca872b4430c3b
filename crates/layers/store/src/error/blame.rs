//! Who has to act on what went wrong in a store.

use super::StoreError;

/// Party that has to act on a [`StoreError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Blame {
    /// The caller asked for something that cannot be: ask differently.
    Caller,
    /// The place where the store lives is unfit at the moment: free it, or repair it.
    Store,
    /// Stored data differs from the written data: restore it.
    Corruption,
    /// Counterfoil itself is wrong: report it.
    Bug,
}

impl StoreError {
    /// Returns the party that has to act.
    #[must_use]
    pub const fn blame(&self) -> Blame {
        match self {
            Self::WorldConflict { .. }
            | Self::HeadMoved { .. }
            | Self::ForeignChain { .. }
            | Self::ContentErased { .. }
            | Self::ChainForked { .. }
            | Self::NoSuchBranch { .. }
            | Self::ForkDecision { .. }
            | Self::Reconcile { .. }
            | Self::KeyNotCurrent { .. }
            | Self::KeyChain { .. }
            | Self::UnknownWorld { .. }
            | Self::UnknownVersion { .. }
            | Self::RollbackUnavailable { .. }
            | Self::Change(_)
            | Self::NoWorld(_)
            | Self::Archived { .. }
            | Self::SegmentRefused { .. }
            | Self::NotDecided { .. }
            | Self::TooManyDrafts { .. }
            | Self::TooManyRequests { .. }
            | Self::ExchangeConflict { .. }
            | Self::ExchangeLimit { .. }
            | Self::IsClaim { .. }
            | Self::NotSubmitted { .. }
            | Self::OutOfRange { .. }
            | Self::Seal { .. }
            | Self::LogName { .. }
            | Self::WrongLogKey { .. } => Blame::Caller,
            Self::Corrupt { .. } => Blame::Corruption,
            Self::Bug(_) => Blame::Bug,
            _ => Blame::Store,
        }
    }
}

#[cfg(test)]
mod tests {
    use counterfoil_types::WorldId;

    use super::*;
    use crate::StoreLocation;

    #[test]
    fn every_error_has_someone_who_can_act() {
        let world_id = WorldId::new("w").unwrap();
        assert_eq!(
            StoreError::WorldConflict { world_id, index: 1 }.blame(),
            Blame::Caller
        );
        assert_eq!(StoreError::DiskFull.blame(), Blame::Store);
        assert_eq!(
            StoreError::corrupt(StoreLocation::table("log"), "x").blame(),
            Blame::Corruption
        );
        assert_eq!(StoreError::Bug("x").blame(), Blame::Bug);
    }
}
