//! Decisions and observations of this agent about others (docs/format/trust.md, "Records").

use alloc::vec::Vec;

use counterfoil_capsule::Timestamp;
use counterfoil_claims::{Cardinality, Identifier};
use counterfoil_types::{DidKey, variant_words, words};
use counterfoil_verifier::note::VerifierKey;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::Level;
use crate::documents::{DocumentHash, Domain, Items, Text};

/// Most addresses of one agent.
pub const MAX_ADDRESSES: usize = 8;
/// Most domains of one agent.
pub const MAX_DOMAINS: usize = 64;

/// A decision or an observation of this agent, signed by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "there are few, and most name a peer"
)]
pub enum LocalRecord {
    /// `peer`: a name for a key, its addresses and its log.
    Peer {
        /// Local name of the agent.
        name: Text<128>,
        /// The key.
        key: DidKey,
        /// URLs and folders, at most [`MAX_ADDRESSES`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[serde(with = "Items::<Text<2048>, 1, MAX_ADDRESSES>")]
        addresses: Vec<Text<2048>>,
        /// Key of its log.
        #[serde(skip_serializing_if = "Option::is_none")]
        log: Option<VerifierKey>,
        /// Domains of its knowledge as it states them, at most [`MAX_DOMAINS`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[serde(with = "Items::<Domain, 1, MAX_DOMAINS>")]
        domains: Vec<Domain>,
    },
    /// `pin`: the agent of this key signs each document that it sends.
    Pin {
        /// The key.
        key: DidKey,
        /// It signs.
        signs: bool,
    },
    /// `direct_trust`: level 3.
    DirectTrust {
        /// The key.
        key: DidKey,
        /// Domain of the trust; all domains without it.
        #[serde(skip_serializing_if = "Option::is_none")]
        domain: Option<Domain>,
        /// End of the trust.
        #[serde(skip_serializing_if = "Option::is_none")]
        expires: Option<Timestamp>,
    },
    /// `distrust`: level 0; takes `direct_trust` back.
    Distrust {
        /// The key.
        key: DidKey,
        /// Domain of the distrust; all domains without it.
        #[serde(skip_serializing_if = "Option::is_none")]
        domain: Option<Domain>,
        /// Reason in words.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<Text<1024>>,
    },
    /// `dispute`: another agent distrusts this one.
    Dispute {
        /// The agent that disputes.
        by: DidKey,
        /// The key.
        key: DidKey,
        /// Domain of the dispute; all domains without it.
        #[serde(skip_serializing_if = "Option::is_none")]
        domain: Option<Domain>,
        /// Reason in words.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<Text<1024>>,
    },
    /// `succession`: an agent signs with another key from now on, by its key chain.
    Succession {
        /// The former key.
        from: DidKey,
        /// The new key.
        to: DidKey,
    },
    /// `mark`: an observation that lowers trust until it is cleared.
    Mark {
        /// The key.
        key: DidKey,
        /// The observation.
        mark: Mark,
        /// Hash of the document that shows it.
        #[serde(skip_serializing_if = "Option::is_none")]
        evidence: Option<DocumentHash>,
    },
    /// `clear`: takes a mark back.
    Clear {
        /// The key.
        key: DidKey,
        /// The mark.
        mark: Mark,
    },
    /// `contact`: a voucher was asked for its revocations.
    Contact {
        /// The key.
        key: DidKey,
    },
    /// `minimum`: the lowest level at which claims of other agents decide a belief.
    Minimum {
        /// Domain of the rule; all domains without it.
        #[serde(skip_serializing_if = "Option::is_none")]
        domain: Option<Domain>,
        /// The level, 1 to 3 as a word.
        level: Level,
    },
    /// `predicate`: the number of values that a predicate holds at a time.
    Predicate {
        /// The predicate, in any spelling.
        predicate: Identifier,
        /// `one` or `many`.
        #[serde(deserialize_with = "one_or_many")]
        cardinality: Cardinality,
    },
    /// `alias`: another name of a subject.
    Alias {
        /// The name.
        name: Identifier,
        /// Main name of the subject; without it the name is taken back.
        #[serde(skip_serializing_if = "Option::is_none")]
        of: Option<Identifier>,
    },
}

/// Reads a cardinality that says something.
fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cardinality, D::Error> {
    match Cardinality::deserialize(deserializer)? {
        Cardinality::Unknown => Err(D::Error::custom("one or many")),
        known => Ok(known),
    }
}

variant_words! {
    /// Names of all variants.
    NAMES;
    /// The value of `type`.
    name of LocalRecord {
        Peer = "peer",
        Pin = "pin",
        DirectTrust = "direct_trust",
        Distrust = "distrust",
        Dispute = "dispute",
        Succession = "succession",
        Mark = "mark",
        Clear = "clear",
        Contact = "contact",
        Minimum = "minimum",
        Predicate = "predicate",
        Alias = "alias",
    }
}

impl LocalRecord {
    /// Key of the agent that it is about; of a succession, the new key. `None` for a rule about all agents, and for a predicate or a name.
    pub const fn key(&self) -> Option<DidKey> {
        Some(match self {
            Self::Peer { key, .. }
            | Self::Pin { key, .. }
            | Self::DirectTrust { key, .. }
            | Self::Distrust { key, .. }
            | Self::Dispute { key, .. }
            | Self::Mark { key, .. }
            | Self::Clear { key, .. }
            | Self::Contact { key } => *key,
            Self::Succession { to, .. } => *to,
            Self::Minimum { .. } | Self::Predicate { .. } | Self::Alias { .. } => return None,
        })
    }
}

words! {
    /// An observation that lowers trust until it is cleared.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Mark {
        /// Two answers to one question: at most level 1.
        Equivocation = "equivocation",
        /// A false accusation: at most level 1.
        Framing = "framing",
        /// A stolen key: level 0.
        Compromise = "compromise",
    }
}
