//! Subject of a contradiction.

use alloc::string::String;

use counterfoil_types::document;
use counterfoil_types::json::Value;
use counterfoil_types::{Blake3Hash, DidKey};
use counterfoil_verifier::note::VerifierKey;
use serde::{Deserialize, Serialize};

use crate::error::CapsuleError;
use crate::header::{Header, Kind, Unlinked};
use crate::id::ChainId;
use crate::record::RecordKind;

/// Limit on the id of a request, in characters.
const MAX_REQUEST_ID: usize = 256;

/// Subject of a contradiction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Suspect {
    /// An entry of the detector's own log, and the capsule that it holds, as far as it can be read.
    Entry {
        /// Its index.
        index: u64,
        /// The capsule.
        #[serde(flatten)]
        capsule: Option<CapsuleName>,
    },
    /// A capsule as its unverified header describes it.
    Capsule(CapsuleName),
    /// A log at one size.
    Log {
        /// The key that signs its checkpoints; its name is the log's origin.
        #[serde(rename = "log")]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
    #[serde(rename = "kind", skip_serializing_if = "Option::is_none")]
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

    pub(super) fn read(value: &Value) -> Result<Self, CapsuleError> {
        // A member that belongs to another subject is not written again.
        let is_whole = |it: &Self| match it {
            Self::Request { request_id } if request_id.chars().count() > MAX_REQUEST_ID => false,
            _ => document::write(it) == *value,
        };
        let read = document::read(value).ok();
        read.filter(is_whole).ok_or_else(|| {
            let must =
                "a capsule, an entry, a log, a request, or the hash of bytes, and one of them";
            CapsuleError::at("contradiction", "/subject", must)
        })
    }
}

impl CapsuleName {
    /// The capsule of that header.
    pub fn of(header: &Header) -> Self {
        Self::of_unlinked(header.members())
    }

    /// The capsule of a header that may be linked wrongly.
    pub(super) fn of_unlinked(header: &Unlinked) -> Self {
        Self {
            agent: header.agent,
            chain: header.chain,
            seq: header.seq,
            capsule_hash: header.hash,
            record: match header.kind() {
                Kind::Record(kind) => Some(kind),
                _ => None,
            },
        }
    }
}
