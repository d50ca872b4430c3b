//! How the parts of a belief are written: in JSON, on the command line, in proofs.

use super::{BeliefStatus, ClaimState, Currency, Marker, Support};

impl BeliefStatus {
    /// All, in the order of their declaration.
    pub const ALL: [Self; 5] = [
        Self::Resolved,
        Self::TimingUncertain,
        Self::Contested,
        Self::Ended,
        Self::NoBelief,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::TimingUncertain => "timing_uncertain",
            Self::Contested => "contested",
            Self::Ended => "ended",
            Self::NoBelief => "no_belief",
        }
    }

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

impl Support {
    /// All, in the order of their declaration.
    pub const ALL: [Self; 2] = [Self::External, Self::Inferred];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::External => "external",
            Self::Inferred => "inferred",
        }
    }

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

impl Currency {
    /// All, the freshest first.
    pub const ALL: [Self; 3] = [Self::Fresh, Self::AgingUnconfirmed, Self::Decayed];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::AgingUnconfirmed => "aging_unconfirmed",
            Self::Decayed => "decayed",
        }
    }

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

impl Marker {
    /// All, in the order of their declaration.
    pub const ALL: [Self; 5] = [
        Self::AgingUnconfirmed,
        Self::AgedSetMember,
        Self::PendingReview,
        Self::ModelDissent,
        Self::PeerSourced,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AgingUnconfirmed => "aging_unconfirmed",
            Self::AgedSetMember => "aged_set_member",
            Self::PendingReview => "pending_review",
            Self::ModelDissent => "model_dissent",
            Self::PeerSourced => "peer_sourced",
        }
    }

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

impl ClaimState {
    /// All, in the order of their declaration.
    pub const ALL: [Self; 7] = [
        Self::Current,
        Self::Scheduled,
        Self::Ended,
        Self::Superseded,
        Self::Contested,
        Self::Quarantined,
        Self::Denied,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Scheduled => "scheduled",
            Self::Ended => "ended",
            Self::Superseded => "superseded",
            Self::Contested => "contested",
            Self::Quarantined => "quarantined",
            Self::Denied => "denied",
        }
    }

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}
