//! What this agent itself has decided or seen of others (docs/format/trust.md, "Records").

use alloc::vec::Vec;

use counterfoil_capsule::Timestamp;
use counterfoil_types::DidKey;
use counterfoil_verifier::note::VerifierKey;

use crate::documents::{DocumentHash, Domain, Text};

/// The most addresses of one agent.
pub const MAX_ADDRESSES: usize = 8;
/// The most domains that an agent is recorded to know of.
pub const MAX_DOMAINS: usize = 64;

/// What this agent has decided or seen, signed by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "there are few, and most name a peer"
)]
pub enum LocalRecord {
    /// `peer`: a name for a key, where it is reached, and its log.
    Peer {
        /// The name, by which it is called here.
        name: Text<128>,
        /// The key.
        key: DidKey,
        /// URLs and folders, at most [`MAX_ADDRESSES`].
        addresses: Vec<Text<2048>>,
        /// The key of its log.
        log: Option<VerifierKey>,
        /// What it says that it knows of, at most [`MAX_DOMAINS`].
        domains: Vec<Domain>,
    },
    /// `pin`: this key signs all that it sends.
    Pin {
        /// The key.
        key: DidKey,
        /// Whether it does.
        signs: bool,
    },
    /// `direct_trust`: level 3.
    DirectTrust {
        /// The key.
        key: DidKey,
        /// In this domain, or in all.
        domain: Option<Domain>,
        /// Until then.
        expires: Option<Timestamp>,
    },
    /// `distrust`: level 0; takes `direct_trust` back.
    Distrust {
        /// The key.
        key: DidKey,
        /// In this domain, or in all.
        domain: Option<Domain>,
        /// Why.
        reason: Option<Text<1024>>,
    },
    /// `dispute`: another agent says that this one is not to be trusted.
    Dispute {
        /// Who says so.
        by: DidKey,
        /// Of whom.
        key: DidKey,
        /// In this domain, or in all.
        domain: Option<Domain>,
        /// Why.
        reason: Option<Text<1024>>,
    },
    /// `succession`: an agent signs with another key from now on; its key chain shows it.
    Succession {
        /// Before.
        from: DidKey,
        /// After.
        to: DidKey,
    },
    /// `mark`: something that lowers trust until it is cleared.
    Mark {
        /// The key.
        key: DidKey,
        /// What was seen.
        mark: Mark,
        /// The exchange, and what shows it.
        evidence: Option<DocumentHash>,
    },
    /// `clear`: takes a mark back.
    Clear {
        /// The key.
        key: DidKey,
        /// Which.
        mark: Mark,
    },
    /// `contact`: when a voucher was asked last for what it takes back.
    Contact {
        /// The key.
        key: DidKey,
    },
}

impl LocalRecord {
    /// The names of all kinds.
    pub const NAMES: [&'static str; 9] = [
        "peer",
        "pin",
        "direct_trust",
        "distrust",
        "dispute",
        "succession",
        "mark",
        "clear",
        "contact",
    ];

    /// The value of `type`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Peer { .. } => "peer",
            Self::Pin { .. } => "pin",
            Self::DirectTrust { .. } => "direct_trust",
            Self::Distrust { .. } => "distrust",
            Self::Dispute { .. } => "dispute",
            Self::Succession { .. } => "succession",
            Self::Mark { .. } => "mark",
            Self::Clear { .. } => "clear",
            Self::Contact { .. } => "contact",
        }
    }

    /// Whom it is about; of a succession, the key that takes over.
    #[must_use]
    pub const fn key(&self) -> DidKey {
        match self {
            Self::Peer { key, .. }
            | Self::Pin { key, .. }
            | Self::DirectTrust { key, .. }
            | Self::Distrust { key, .. }
            | Self::Dispute { key, .. }
            | Self::Mark { key, .. }
            | Self::Clear { key, .. }
            | Self::Contact { key } => *key,
            Self::Succession { to, .. } => *to,
        }
    }
}

/// What lowers trust until it is cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// It gave two answers to one question: at most level 1.
    Equivocation,
    /// It blamed somebody falsely: at most level 1.
    Framing,
    /// Its key is in other hands: level 0.
    Compromise,
}

impl Mark {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Equivocation, Self::Framing, Self::Compromise];

    /// The name in records and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Equivocation => "equivocation",
            Self::Framing => "framing",
            Self::Compromise => "compromise",
        }
    }
}
