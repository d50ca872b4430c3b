//! The states of one memory of an answer (R7).

use crate::checks::Disposition;

/// The state of one memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum ItemState {
    /// It is here.
    #[default]
    Received,
    /// It was checked.
    Checked,
    /// It was dropped.
    Rejected,
    /// It is kept apart: shown, and stored only by hand.
    Quarantined,
    /// It is stored.
    Stored,
}

/// What happens to a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemEvent {
    /// The checks decided.
    Checked(Disposition),
    /// The gate took it.
    Stored,
    /// The gate did not take it, or it is not to be stored.
    NotStored,
}

impl ItemState {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Received,
        Self::Checked,
        Self::Rejected,
        Self::Quarantined,
        Self::Stored,
    ];

    /// The name in rows and documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::Checked => "checked",
            Self::Rejected => "rejected",
            Self::Quarantined => "quarantined",
            Self::Stored => "stored",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// The next state; the same where the event has no meaning.
///
/// What is stored or dropped stays so, and a later check only lowers: what was kept apart is stored by hand alone.
#[must_use]
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
