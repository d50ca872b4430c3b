//! The parts of a contradiction: none of them has room for a content (E65).

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::document;
use counterfoil_types::json::{self, Limits, Value};
use counterfoil_types::{Blake3Hash, DidKey, Sha256Hash};
use serde::{Deserialize, Serialize};

use super::CapsuleName;
use crate::digest::{EVIDENCE, derived};
use crate::equivocation::bare;
use crate::error::CapsuleError;
use crate::exported::CapsuleDocument;
use crate::header::Header;
use crate::record::RecordKind;
use crate::timestamp::Timestamp;

/// Limit on a `transport`, in bytes.
const MAX_TRANSPORT: usize = 256;
/// Limit on one item of evidence, in bytes: two of them, and all else, are less than 64 KiB.
const MAX_ITEM: usize = 24 << 10;

/// Origin of the thing that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Sender, where it is known.
    #[serde(with = "counterfoil_types::document::nullable")]
    pub peer: Option<DidKey>,
    /// Way by which it came: `import <name>`, `store`, ...; 1 to 256 bytes without control characters.
    pub transport: String,
}

impl Source {
    /// From a way that names no sender. What does not fit into a `transport` is replaced or cut off.
    pub fn way(name: &str) -> Self {
        let mut transport = String::new();
        for letter in name.chars() {
            let letter = if letter.is_control() {
                '\u{fffd}'
            } else {
                letter
            };
            if transport.len() + letter.len_utf8() > MAX_TRANSPORT {
                break;
            }
            transport.push(letter);
        }
        if transport.is_empty() {
            transport.push('?');
        }
        Self {
            peer: None,
            transport,
        }
    }

    /// Key under which its events are counted: the peer, where it is known, and the transport.
    pub fn key(&self) -> String {
        match self.peer {
            Some(peer) => format!("{peer} {}", self.transport),
            None => self.transport.clone(),
        }
    }

    pub(super) fn is_well_formed(&self) -> bool {
        let way = &self.transport;
        (1..=MAX_TRANSPORT).contains(&way.len()) && !way.chars().any(char::is_control)
    }
}

/// One side of a comparison. It has no room for a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a digest, a number, an instant, a key or a place"
)]
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
    /// The root of a log.
    Root(Sha256Hash),
    /// Place of a capsule as its own header states it.
    Place {
        /// Its number.
        seq: u64,
        /// Its hash.
        capsule_hash: Blake3Hash,
        /// The capsule that it names as the one before.
        #[serde(with = "counterfoil_types::document::nullable")]
        previous: Option<Blake3Hash>,
        /// Its time.
        timestamp: Timestamp,
    },
}

impl Observed {
    /// Place of the capsule of that header.
    pub const fn place(header: &Header) -> Self {
        Self::Place {
            seq: header.seq(),
            capsule_hash: header.hash(),
            previous: header.previous(),
            timestamp: header.timestamp(),
        }
    }
}

/// One item of evidence.
#[derive(Debug, Clone, PartialEq)]
pub enum Evidence {
    /// A capsule: header, signature and field root, never a body.
    Capsule(Box<CapsuleDocument>),
    /// A capsule, in the same form, and the opening of its commitment to a place in its agent's feed.
    Placed {
        /// The capsule.
        capsule: Box<CapsuleDocument>,
        /// Its number in the feed.
        number: u64,
        /// The capsule before it there.
        previous: Option<Blake3Hash>,
        /// Salt of the commitment.
        salt: [u8; 32],
    },
    /// A capsule, in the same form, with another `mutation` than the hash of `previous` and delta. Its exported text.
    Mislinked(String),
    /// A signed note: the checkpoint of a log.
    Note(String),
    /// A digest of bytes that are too large, or are neither.
    Hash(Blake3Hash),
}

impl Evidence {
    /// A capsule, of which the bodies are left out.
    pub fn of(capsule: &CapsuleDocument) -> Self {
        Self::Capsule(capsule.clone().without_bodies().into())
    }

    /// Returns the evidence that an agent signed a `mutation` that is not the hash of `previous` and delta, and the capsule;
    /// `None` for other bytes. `keys` are those of agents that rotated.
    pub fn of_mutation(
        bytes: &[u8],
        keys: &BTreeMap<DidKey, Vec<DidKey>>,
    ) -> Option<(CapsuleName, Self)> {
        let (header, text) = CapsuleDocument::mislinked(bytes, keys)?;
        Some((CapsuleName::of_unlinked(&header), Self::Mislinked(text)))
    }

    /// Evidence from received bytes: a capsule if they are one, and otherwise `H("evidence", bytes)`, so that
    /// neither length nor content gets in. `None` when the bytes are a contradiction themselves.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        if let Ok(capsule) = CapsuleDocument::parse(bytes) {
            return Some(Self::of(&capsule));
        }
        let value = json::parse(bytes, Limits::EXPORTED).unwrap_or_default();
        let kind = value.get("type").and_then(Value::as_str);
        (kind != Some(RecordKind::Contradiction.name())).then(|| Self::hash_of(bytes))
    }

    /// `H("evidence", bytes)`, for bytes that prove nothing about any agent, only that they were there.
    pub fn hash_of(bytes: &[u8]) -> Self {
        Self::Hash(derived(EVIDENCE, bytes))
    }

    /// The hash of the capsule, or the digest of the note or of the bytes.
    pub fn hash(&self) -> Blake3Hash {
        match self {
            Self::Capsule(capsule) | Self::Placed { capsule, .. } => capsule.header().hash(),
            Self::Mislinked(text) | Self::Note(text) => derived(EVIDENCE, text.as_bytes()),
            Self::Hash(hash) => *hash,
        }
    }

    /// The capsule, if it is shown.
    pub fn capsule(&self) -> Option<&CapsuleDocument> {
        match self {
            Self::Capsule(capsule) | Self::Placed { capsule, .. } => Some(capsule),
            _ => None,
        }
    }

    /// The same without bodies, or its hash if there is no room for it.
    pub(super) fn fitting(self) -> Self {
        let bare = match self {
            Self::Capsule(capsule) => Self::Capsule(capsule.without_bodies().into()),
            Self::Placed {
                capsule,
                number,
                previous,
                salt,
            } => Self::Placed {
                capsule: capsule.without_bodies().into(),
                number,
                previous,
                salt,
            },
            other => other,
        };
        let text = json::canonical(&bare.to_value());
        match text {
            Ok(text) if text.len() <= MAX_ITEM => bare,
            _ => Self::Hash(bare.hash()),
        }
    }

    pub(super) fn to_value(&self) -> Value {
        match self {
            Self::Capsule(capsule) => capsule.to_value(),
            Self::Placed {
                capsule,
                number,
                previous,
                salt,
            } => document::write(&Opened {
                capsule: capsule.to_value(),
                number: *number,
                previous: *previous,
                salt: *salt,
            }),
            Self::Mislinked(text) => {
                json::parse(text.as_bytes(), Limits::EXPORTED).unwrap_or_default()
            }
            Self::Note(note) => document::write(&document::object().with("note", note)),
            Self::Hash(hash) => document::write(hash),
        }
    }

    pub(super) fn read(value: &Value) -> Result<Self, CapsuleError> {
        let wrong = || {
            let must = "one or two exported capsules without bodies, signed notes, or digests";
            CapsuleError::at("contradiction", "/evidence", must)
        };
        match value {
            Value::String(hash) => hash.parse().map(Self::Hash).map_err(|_| wrong()),
            Value::Object(members) if members.contains_key("note") => {
                let note = value.get("note").and_then(Value::as_str);
                let note = note.filter(|_| members.len() == 1).ok_or_else(wrong)?;
                Ok(Self::Note(note.into()))
            }
            Value::Object(members) if members.contains_key("capsule") => {
                let opened: Opened = document::read(value).map_err(|_| wrong())?;
                Ok(Self::Placed {
                    capsule: bare(&opened.capsule)?.into(),
                    number: opened.number,
                    previous: opened.previous,
                    salt: opened.salt,
                })
            }
            capsule => match bare(capsule) {
                Err(CapsuleError::Mutation(_)) => {
                    let text = json::canonical(capsule).map_err(|_| wrong())?;
                    Ok(Self::Mislinked(text))
                }
                read => Ok(Self::Capsule(read?.into())),
            },
        }
    }
}

/// A capsule with the opening of its place, as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Opened {
    capsule: Value,
    number: u64,
    #[serde(with = "counterfoil_types::document::nullable")]
    previous: Option<Blake3Hash>,
    #[serde(with = "counterfoil_types::document::base64")]
    salt: [u8; 32],
}
