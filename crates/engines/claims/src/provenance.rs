//! Who stands behind a unit (I4): assigned when it is written, never changed, and never taken from a request.

use counterfoil_types::DidKey;

/// Who stands behind a unit. It comes out of a [`Channel`](crate::Channel) or out of a unit that was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Provenance(ProvenanceClass);

/// What a [`Provenance`] is, to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ProvenanceClass {
    /// A model said so, or it was derived by one.
    ModelDerived,
    /// What recall has handed out came back.
    RecallReEntry,
    /// Another agent said so.
    Peer {
        /// Who.
        agent: DidKey,
        /// The trust level at receipt, 0 to 3.
        level: u8,
    },
    /// The host has seen it itself.
    FirstHand,
    /// The user said so.
    UserAsserted,
}

/// How much a provenance weighs against another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProvenanceRank {
    /// Models, and what came back from recall.
    Inferred,
    /// Other agents.
    Peer,
    /// The user and the host.
    Own,
}

impl Provenance {
    pub(crate) const fn assigned(class: ProvenanceClass) -> Self {
        Self(class)
    }

    /// What it is.
    #[must_use]
    pub const fn class(self) -> ProvenanceClass {
        self.0
    }

    /// How much it weighs.
    #[must_use]
    pub const fn rank(self) -> ProvenanceRank {
        match self.0 {
            ProvenanceClass::ModelDerived | ProvenanceClass::RecallReEntry => {
                ProvenanceRank::Inferred
            }
            ProvenanceClass::Peer { .. } => ProvenanceRank::Peer,
            ProvenanceClass::FirstHand | ProvenanceClass::UserAsserted => ProvenanceRank::Own,
        }
    }

    /// Whether it comes from outside of the agent: everything but models and recall.
    #[must_use]
    pub const fn is_external(self) -> bool {
        !matches!(self.rank(), ProvenanceRank::Inferred)
    }
}

impl ProvenanceClass {
    /// The names of all, in the order of their declaration.
    pub const NAMES: [&'static str; 5] = [
        "model_derived",
        "recall_re_entry",
        "peer",
        "first_hand",
        "user_asserted",
    ];

    /// As it is written: `user_asserted` and so on.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ModelDerived => "model_derived",
            Self::RecallReEntry => "recall_re_entry",
            Self::Peer { .. } => "peer",
            Self::FirstHand => "first_hand",
            Self::UserAsserted => "user_asserted",
        }
    }
}
