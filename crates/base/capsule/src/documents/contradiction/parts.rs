//! The parts of a contradiction: none of them has room for a content (E65).

use alloc::string::{String, ToString};

use counterfoil_types::json::{self, Limits, Map, Value};
use counterfoil_types::{Blake3Hash, DidKey};

use super::ContradictionError;
use crate::digest::evidence_hash;
use crate::exported::CapsuleDocument;
use crate::header::{Header, Kind};
use crate::id::ChainId;
use crate::keys::reading::written;
use crate::record::RecordKind;
use crate::timestamp::Timestamp;
use crate::verdict::{Check, Code};

/// What kind of thing does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ContradictionKind {
    /// Not of its format.
    Schema,
    /// Hashes or signatures do not hold.
    Integrity,
    /// A content is not what it must be.
    State,
    /// Time does not grow.
    Chronology,
    /// A key or an agent that may not.
    Authorization,
    /// Numbers and links do not fit.
    Sequence,
    /// One place, two capsules.
    Equivocation,
    /// Something accepted does not verify any more.
    Corruption,
    /// Something was sent again that counts once.
    Replay,
    /// One request, two responses.
    ResponseEquivocation,
}

impl ContradictionKind {
    /// All kinds.
    pub const ALL: [Self; 10] = [
        Self::Schema,
        Self::Integrity,
        Self::State,
        Self::Chronology,
        Self::Authorization,
        Self::Sequence,
        Self::Equivocation,
        Self::Corruption,
        Self::Replay,
        Self::ResponseEquivocation,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Integrity => "integrity",
            Self::State => "state",
            Self::Chronology => "chronology",
            Self::Authorization => "authorization",
            Self::Sequence => "sequence",
            Self::Equivocation => "equivocation",
            Self::Corruption => "corruption",
            Self::Replay => "replay",
            Self::ResponseEquivocation => "response_equivocation",
        }
    }

    /// The kind of a check that failed when a capsule came in.
    #[must_use]
    pub const fn of(check: Check, code: Code) -> Self {
        match (check, code) {
            (_, Code::KeyNotAuthorised | Code::Agent) | (Check::Policy, _) => Self::Authorization,
            (Check::Signature | Check::Mutation, _) | (_, Code::DeltaHash) => Self::Integrity,
            (Check::Sequence, _) => Self::Sequence,
            (Check::Chronology, _) => Self::Chronology,
            (Check::Body | Check::State, _) => Self::State,
            _ => Self::Schema,
        }
    }
}

/// What a contradiction is about.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Suspect {
    /// A capsule, by its own word.
    Capsule {
        /// In whose name it is.
        agent: DidKey,
        /// Its chain.
        chain: ChainId,
        /// Its number.
        seq: u64,
        /// Its hash.
        capsule_hash: Blake3Hash,
    },
    /// An entry of the detector's own log that cannot be read.
    Entry {
        /// Its index.
        index: u64,
    },
    /// A request or its response.
    Request {
        /// Its id.
        request_id: String,
    },
    /// Bytes that are none of these.
    Bytes {
        /// What stands for them, see [`Evidence::of_bytes`].
        hash: Blake3Hash,
    },
}

impl Suspect {
    /// The capsule of that header.
    #[must_use]
    pub const fn of(header: &Header) -> Self {
        Self::Capsule {
            agent: header.agent(),
            chain: header.chain(),
            seq: header.seq(),
            capsule_hash: header.hash(),
        }
    }

    pub(super) fn to_value(&self) -> Value {
        match self {
            Self::Capsule {
                agent,
                chain,
                seq,
                capsule_hash,
            } => object([
                ("agent", written(agent)),
                ("chain", written(chain)),
                ("seq", (*seq).into()),
                ("capsule_hash", written(capsule_hash)),
            ]),
            Self::Entry { index } => object([("index", (*index).into())]),
            Self::Request { request_id } => object([("request_id", request_id.as_str().into())]),
            Self::Bytes { hash } => object([("hash", written(hash))]),
        }
    }
}

/// Where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Who sent it; `None` when nobody is known.
    pub peer: Option<DidKey>,
    /// By which way: `import`, `store`, `http`, ...; 1 to 128 printable ASCII characters.
    pub transport: String,
}

impl Source {
    pub(super) fn to_value(&self) -> Value {
        let peer = self.peer.map_or(Value::Null, written);
        object([
            ("peer", peer),
            ("transport", self.transport.as_str().into()),
        ])
    }
}

/// One side of what was compared. It has no room for a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Observed {
    /// A digest.
    Hash(Blake3Hash),
    /// A number: of a capsule, of a key, of bytes.
    Number(u64),
    /// An instant.
    Time(Timestamp),
    /// An agent or a key.
    Key(DidKey),
}

impl Observed {
    pub(super) fn to_value(self) -> Value {
        match self {
            Self::Hash(hash) => written(hash),
            Self::Number(number) => number.into(),
            Self::Time(time) => written(time),
            Self::Key(key) => written(key),
        }
    }

    pub(super) fn read(value: &Value) -> Option<Self> {
        if let Some(number) = value.as_u64() {
            return Some(Self::Number(number));
        }
        let text = value.as_str()?;
        let hash = text.parse().map(Self::Hash).ok();
        let time = || text.parse().map(Self::Time).ok();
        let key = || text.parse().map(Self::Key).ok();
        hash.or_else(time).or_else(key)
    }
}

/// One thing that shows it.
#[derive(Debug, Clone, PartialEq)]
pub enum Evidence {
    /// A capsule: header, signature and field root, never a body.
    Capsule(alloc::boxed::Box<CapsuleDocument>),
    /// A digest of what is too large, or no capsule at all.
    Hash(Blake3Hash),
}

impl Evidence {
    /// A capsule, of which the bodies are left out.
    #[must_use]
    pub fn of(capsule: &CapsuleDocument) -> Self {
        Self::Capsule(capsule.clone().without_bodies().into())
    }

    /// What came in: as a capsule if it is one, and otherwise as `H("evidence", bytes)`, so that
    /// neither its length nor its content gets in.
    ///
    /// # Errors
    /// [`ContradictionError::AboutContradiction`] when the bytes are such a document themselves.
    pub fn of_bytes(bytes: &[u8]) -> Result<Self, ContradictionError> {
        if let Ok(capsule) = CapsuleDocument::parse(bytes) {
            return Ok(Self::of(&capsule));
        }
        let value = json::parse(bytes, Limits::EXPORTED).unwrap_or_default();
        if value.get("type").and_then(Value::as_str) == Some(RecordKind::Contradiction.name()) {
            return Err(ContradictionError::AboutContradiction);
        }
        Ok(Self::Hash(evidence_hash(bytes)))
    }

    /// The hash of the capsule, or the digest.
    #[must_use]
    pub const fn hash(&self) -> Blake3Hash {
        match self {
            Self::Capsule(capsule) => capsule.header().hash(),
            Self::Hash(hash) => *hash,
        }
    }

    pub(super) fn to_value(&self) -> Value {
        match self {
            Self::Capsule(capsule) => capsule.to_value(),
            Self::Hash(hash) => written(hash),
        }
    }
}

impl super::Observation {
    /// Whether any capsule in it holds a contradiction itself.
    pub(super) fn is_about_itself(&self) -> bool {
        self.evidence.iter().any(|item| match item {
            Evidence::Capsule(capsule) => {
                capsule.header().kind() == Kind::Record(RecordKind::Contradiction)
            }
            Evidence::Hash(_) => false,
        })
    }
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let members = members.map(|(name, value)| (name.to_string(), value));
    Value::Object(members.into_iter().collect::<Map>())
}
