//! States of one memory of an answer (R7).

use counterfoil_types::words;

use crate::checks::Disposition;

words! {
    /// State of one memory.
    #[derive(PartialOrd, Ord, Hash, Default)]
    pub enum ItemState {
        /// Received.
        #[default]
        Received = "received",
        /// Checked.
        Checked = "checked",
        /// Dropped.
        Rejected = "rejected",
        /// Set apart: shown, and stored only by hand.
        Quarantined = "quarantined",
        /// Stored.
        Stored = "stored",
    }
}

/// An event of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemEvent {
    /// The checks decided.
    Checked(Disposition),
    /// The gate accepted the memory.
    Stored,
    /// The gate refused the memory, or it is not to be stored.
    NotStored,
}

/// Returns the next state; the same where the event has no meaning.
///
/// A stored or dropped memory stays so, and a later check only lowers: a quarantined memory is stored by hand alone.
pub fn step_item(state: ItemState, event: ItemEvent) -> ItemState {
    use Disposition as D;
    use ItemState as S;
    match (state, event) {
        (S::Received | S::Checked | S::Quarantined, ItemEvent::Checked(D::Reject)) => S::Rejected,
        (S::Received | S::Checked, ItemEvent::Checked(D::RawOnly)) => S::Quarantined,
        (
            S::Received,
            ItemEvent::Checked(D::StoredUnverified | D::StoredMedium | D::StoredHigh),
        ) => S::Checked,
        (S::Checked | S::Quarantined, ItemEvent::Stored) => S::Stored,
        (S::Checked, ItemEvent::NotStored) => S::Quarantined,
        (state, _) => state,
    }
}
