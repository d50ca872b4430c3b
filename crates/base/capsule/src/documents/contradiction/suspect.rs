//! Subject of a contradiction.

use alloc::string::{String, ToString};

use counterfoil_types::document;
use counterfoil_types::json::{Map, Value};
use counterfoil_types::{Blake3Hash, DidKey};
use counterfoil_verifier::note::VerifierKey;
use serde::Deserialize;

use crate::error::CapsuleError;
use crate::header::{Header, Kind};
use crate::id::ChainId;
use crate::record::RecordKind;

/// Subject of a contradiction.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Suspect {
    /// A capsule as its unverified header describes it.
    Capsule(CapsuleName),
    /// An entry of the detector's own log, and the capsule that it holds, as far as it can be read.
    Entry {
        /// Its index.
        index: u64,
        /// The capsule.
        capsule: Option<CapsuleName>,
    },
    /// A log at one size.
    Log {
        /// The key that signs its checkpoints; its name is the log's origin.
        key: VerifierKey,
        /// The number of its entries.
        size: u64,
    },
    /// A request or its response.
    Request {
        /// Its id.
        request_id: String,
    },
    /// Bytes that are none of these.
    Bytes {
        /// Digest of the bytes, see [`Evidence::of_bytes`](super::Evidence::of_bytes).
        hash: Blake3Hash,
    },
}

/// Place of a capsule as its own header states it; true only if its signature is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CapsuleName {
    /// Agent in whose name it is.
    pub agent: DidKey,
    /// Its chain.
    pub chain: ChainId,
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub capsule_hash: Blake3Hash,
    /// The kind of a record; `None` for a World, or where it is not known.
    pub record: Option<RecordKind>,
}

impl Suspect {
    /// The capsule of that header.
    pub fn of(header: &Header) -> Self {
        Self::Capsule(CapsuleName::of(header))
    }

    /// The capsule that it is about, if it is about one.
    pub const fn capsule(&self) -> Option<&CapsuleName> {
        match self {
            Self::Capsule(capsule)
            | Self::Entry {
                capsule: Some(capsule),
                ..
            } => Some(capsule),
            _ => None,
        }
    }

    pub(super) fn to_value(&self) -> Value {
        match self {
            Self::Capsule(capsule) => object(capsule.members()),
            Self::Entry { index, capsule } => {
                let named = capsule.as_ref().map(CapsuleName::members);
                let index = [("index", (*index).into())];
                object(index.into_iter().chain(named.into_iter().flatten()))
            }
            Self::Log { key, size } => {
                object([("log", key.to_string().into()), ("size", (*size).into())])
            }
            Self::Request { request_id } => object([("request_id", request_id.as_str().into())]),
            Self::Bytes { hash } => object([("hash", document::write(hash))]),
        }
    }
}

/// Members of all subjects.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    index: Option<u64>,
    agent: Option<DidKey>,
    chain: Option<ChainId>,
    seq: Option<u64>,
    capsule_hash: Option<Blake3Hash>,
    kind: Option<RecordKind>,
    log: Option<String>,
    size: Option<u64>,
    request_id: Option<String>,
    hash: Option<Blake3Hash>,
}

impl Suspect {
    pub(super) fn read(value: &Value) -> Result<Self, CapsuleError> {
        let read = |value| {
            let it: Members = document::read(value).ok()?;
            let capsule = match (it.agent, it.chain, it.seq, it.capsule_hash) {
                (Some(agent), Some(chain), Some(seq), Some(capsule_hash)) => Some(CapsuleName {
                    agent,
                    chain,
                    seq,
                    capsule_hash,
                    record: it.kind,
                }),
                _ => None,
            };
            let subject = match (it.index, capsule, it.log, it.request_id, it.hash) {
                (Some(index), capsule, ..) => Self::Entry { index, capsule },
                (_, Some(capsule), ..) => Self::Capsule(capsule),
                (.., Some(log), _, _) => Self::Log {
                    key: log.parse().ok()?,
                    size: it.size?,
                },
                (.., Some(id), _) => Self::Request {
                    request_id: id.chars().take(256).collect(),
                },
                (.., hash) => Self::Bytes { hash: hash? },
            };
            // A member that belongs to another subject is not written again.
            (subject.to_value() == *value).then_some(subject)
        };
        read(value).ok_or_else(|| {
            let must =
                "a capsule, an entry, a log, a request, or the hash of bytes, and one of them";
            CapsuleError::at("contradiction", "/subject", must)
        })
    }
}

impl CapsuleName {
    /// The capsule of that header.
    pub fn of(header: &Header) -> Self {
        Self {
            agent: header.agent(),
            chain: header.chain(),
            seq: header.seq(),
            capsule_hash: header.hash(),
            record: match header.kind() {
                Kind::Record(kind) => Some(kind),
                _ => None,
            },
        }
    }

    fn members(&self) -> impl Iterator<Item = (&'static str, Value)> + use<> {
        let kind = self.record.map(|kind| ("kind", kind.name().into()));
        let members = [
            ("agent", document::write(&self.agent)),
            ("chain", document::write(&self.chain)),
            ("seq", self.seq.into()),
            ("capsule_hash", document::write(&self.capsule_hash)),
        ];
        members.into_iter().chain(kind)
    }
}

pub(super) fn object(members: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let members = members.into_iter();
    let members = members.map(|(name, value)| (name.to_string(), value));
    Value::Object(members.collect::<Map>())
}
