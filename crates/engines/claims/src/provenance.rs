//! Provenance of a unit (I4): assigned when it is written, never changed, and never taken from a request.

use counterfoil_types::document::Whole;
use counterfoil_types::{DidKey, words};
use serde::{Deserialize, Serialize};

/// Origin of a unit. Made by a [`Channel`](crate::Channel), or read from a unit that was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "ProvenanceMembers", into = "ProvenanceMembers")]
pub struct Provenance(ProvenanceClass);

/// Class of a [`Provenance`], for reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ProvenanceClass {
    /// A model said so, or it was derived by one.
    ModelDerived,
    /// It was read out of the agent's own recall. Never of a unit: the gate writes it as a model's.
    RecallReEntry,
    /// Another agent said so.
    Peer {
        /// Who.
        agent: DidKey,
        /// The trust level at receipt, 0 to 3.
        level: u8,
        /// It has the claim from a model, its own or another agent's: inferred over any number of agents.
        inferred: bool,
    },
    /// The host has seen it itself.
    FirstHand,
    /// The user said so.
    UserAsserted,
}

/// Lowest level of trust at which another agent counts, unless a [`PeerTrust`](crate::PeerTrust) has another.
pub(crate) const TRUSTED_LEVEL: u8 = 2;

/// Weight of a provenance against another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ProvenanceRank {
    /// Models, also those of other agents, and what came back from recall.
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

    /// Class of the provenance.
    pub const fn class(self) -> ProvenanceClass {
        self.0
    }

    /// Returns whether the gate takes it for a side: other agents count from level 2 at receipt on.
    pub const fn is_trusted(self) -> bool {
        match self.0 {
            ProvenanceClass::Peer { level, .. } => level >= TRUSTED_LEVEL,
            _ => true,
        }
    }

    /// Weight of the provenance.
    pub(crate) const fn rank(self) -> ProvenanceRank {
        match self.0 {
            ProvenanceClass::ModelDerived
            | ProvenanceClass::RecallReEntry
            | ProvenanceClass::Peer { inferred: true, .. } => ProvenanceRank::Inferred,
            ProvenanceClass::Peer { .. } => ProvenanceRank::Peer,
            ProvenanceClass::FirstHand | ProvenanceClass::UserAsserted => ProvenanceRank::Own,
        }
    }

    /// Returns whether it comes from outside of the agent: everything but models, an agent's own or another's, and recall.
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

    /// Word for the class: `user_asserted` and so on.
    pub const fn name(self) -> &'static str {
        self.word().name()
    }

    const fn word(self) -> Class {
        match self {
            Self::ModelDerived => Class::ModelDerived,
            Self::RecallReEntry => Class::RecallReEntry,
            Self::Peer { .. } => Class::Peer,
            Self::FirstHand => Class::FirstHand,
            Self::UserAsserted => Class::UserAsserted,
        }
    }
}

words! {
    /// [`ProvenanceClass`] without what belongs to it.
    enum Class {
        /// See [`ProvenanceClass::UserAsserted`].
        UserAsserted = "user_asserted",
        /// See [`ProvenanceClass::FirstHand`].
        FirstHand = "first_hand",
        /// See [`ProvenanceClass::Peer`].
        Peer = "peer",
        /// See [`ProvenanceClass::ModelDerived`].
        ModelDerived = "model_derived",
        /// See [`ProvenanceClass::RecallReEntry`]: never of a unit.
        RecallReEntry = "recall_re_entry",
    }
}

/// [`Provenance`] as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProvenanceMembers {
    class: Class,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<DidKey>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<Whole<0, 3>>,
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    inferred: bool,
}

impl TryFrom<ProvenanceMembers> for Provenance {
    type Error = &'static str;

    fn try_from(members: ProvenanceMembers) -> Result<Self, Self::Error> {
        let class = match (members.class, members.agent, members.level) {
            (class, ..) if members.inferred && class != Class::Peer => {
                return Err("`inferred` for the class peer alone");
            }
            (Class::UserAsserted, None, None) => ProvenanceClass::UserAsserted,
            (Class::FirstHand, None, None) => ProvenanceClass::FirstHand,
            (Class::ModelDerived, None, None) => ProvenanceClass::ModelDerived,
            (Class::Peer, Some(agent), Some(level)) => ProvenanceClass::Peer {
                agent,
                level: u8::try_from(level.get()).unwrap_or(u8::MAX),
                inferred: members.inferred,
            },
            _ => {
                return Err(
                    "user_asserted, first_hand or model_derived, or peer with agent and level",
                );
            }
        };
        Ok(Self::assigned(class))
    }
}

impl From<Provenance> for ProvenanceMembers {
    fn from(provenance: Provenance) -> Self {
        let peer = match provenance.class() {
            ProvenanceClass::Peer {
                agent,
                level,
                inferred,
            } => Some((agent, level, inferred)),
            _ => None,
        };
        Self {
            class: provenance.class().word(),
            agent: peer.map(|(agent, ..)| agent),
            level: peer.and_then(|(_, level, _)| Whole::new(level.into())),
            inferred: peer.is_some_and(|(.., inferred)| inferred),
        }
    }
}
