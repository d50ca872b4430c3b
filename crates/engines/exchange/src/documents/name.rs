//! Names in documents: ids, nonces, hashes, agents and domains of knowledge (docs/format/exchange.md §1, §2, §4).

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use counterfoil_types::document::Text;
use counterfoil_types::{DidKey, Sha256Hash, text_form};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::DocumentError;

/// A lower-case UUID of 36 characters: `request_id`, `response_id` and the ids of vouches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(String);

impl RequestId {
    /// The UUID of 16 bytes, of any version.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        let mut text = String::with_capacity(36);
        for (at, byte) in bytes.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                text.push('-');
            }
            for nibble in [byte >> 4, byte & 15] {
                text.extend(char::from_digit(u32::from(nibble), 16));
            }
        }
        Self(text)
    }

    /// The 36 characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RequestId {
    type Err = DocumentError;

    fn from_str(text: &str) -> Result<Self, DocumentError> {
        let fits = |(at, byte): (usize, u8)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
        };
        if text.len() == 36 && text.bytes().enumerate().all(fits) {
            return Ok(Self(text.into()));
        }
        Err(DocumentError::Name(
            "an id is a lower-case UUID of 36 characters, such as 0198c0de-0000-7000-8000-000000000000",
        ))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A domain of knowledge: 1 to 8 segments `[a-z0-9-]{1,64}` joined by `/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Domain(String);

impl Domain {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Is `other` this domain or one inside of it? Segment by segment: `a` covers `a/b` and not `a-b` (case 92).
    pub fn covers(&self, other: &Self) -> bool {
        let rest = other.0.strip_prefix(self.0.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl FromStr for Domain {
    type Err = DocumentError;

    fn from_str(text: &str) -> Result<Self, DocumentError> {
        let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let segment = |part: &str| (1..=64).contains(&part.len()) && part.bytes().all(letter);
        if text.split('/').take(9).count() <= 8 && text.split('/').all(segment) {
            return Ok(Self(text.into()));
        }
        Err(DocumentError::Name(
            "a domain is 1 to 8 words of a-z, 0-9 and - joined by /, such as memory-systems/pruning",
        ))
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// 16 random bytes of a request, repeated by its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Nonce([u8; 16]);

impl Nonce {
    /// The nonce of 16 bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Reads 22 characters of base64url without padding.
    pub fn read(text: &str) -> Option<Self> {
        let bytes = (text.len() == 22)
            .then(|| URL_SAFE_NO_PAD.decode(text).ok())
            .flatten()?;
        Some(Self(bytes.try_into().ok()?))
    }
}

impl fmt::Display for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&URL_SAFE_NO_PAD.encode(self.0))
    }
}

/// The readers of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// One agent.
    One(DidKey),
    /// Every reader, `"*"`; drafts are read as this.
    Everyone,
}

impl fmt::Display for Audience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everyone => f.write_str("*"),
            Self::One(key) => key.fmt(f),
        }
    }
}

/// An agent as it names itself, with its key. The name is for people; the key is the identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(bound(serialize = "K: Serialize + Copy + Into<Option<DidKey>>"))]
pub struct Agent<K = DidKey> {
    /// Display name, which any agent may use.
    pub agent_id: Text<128>,
    /// Key that the agent signs with.
    #[serde(skip_serializing_if = "is_keyless")]
    pub public_key: K,
}

/// An agent as it names itself, with or without a key.
pub type Party = Agent<Option<DidKey>>;

fn is_keyless<K: Copy + Into<Option<DidKey>>>(key: &K) -> bool {
    (*key).into().is_none()
}

impl Party {
    /// An agent whose key is elsewhere, by its display name.
    pub const fn named(agent_id: Text<128>) -> Self {
        Self {
            agent_id,
            public_key: None,
        }
    }
}

macro_rules! hash {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Sha256Hash);

        impl $name {
            /// The hash of a stored digest.
            pub const fn from_digest(digest: Sha256Hash) -> Self {
                Self(digest)
            }

            /// The digest.
            pub const fn digest(&self) -> &Sha256Hash {
                &self.0
            }
        }

        impl From<Sha256Hash> for $name {
            fn from(digest: Sha256Hash) -> Self {
                Self(digest)
            }
        }

        impl FromStr for $name {
            type Err = DocumentError;

            fn from_str(text: &str) -> Result<Self, DocumentError> {
                let digest = Sha256Hash::from_hex(text);
                digest.map(Self).map_err(|_| DocumentError::Name("a hash is 64 lower-case hexadecimal digits"))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0.to_hex())
            }
        }

        text_form! { $name: "64 lower-case hexadecimal digits", like "^[0-9a-f]{64}$"; }
    )*};
}

hash! {
    /// Hash of a request without its proof, which its answers name (§2).
    RequestHash
    /// Hash of a claim, equal for all agents that attest it (§4).
    ClaimHash
    /// SHA-256 of bytes: of a document with its proof, of a hop, or of evidence.
    DocumentHash
}

impl DocumentHash {
    /// The hash of bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256Hash::from_bytes(Sha256::digest(bytes).into()))
    }
}

text_form! {
    RequestId: "a lower-case UUID", like "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$";
    Domain: "1 to 8 words of a-z, 0-9 and - joined by /, such as memory-systems/pruning",
        like "^[a-z0-9-]{1,64}(/[a-z0-9-]{1,64}){0,7}$";
    Nonce: "16 bytes in base64url, 22 characters", like "^[A-Za-z0-9_-]{21}[AQgw]$", = Self::read;
    Audience: "the did:key of an Ed25519 key, or \"*\"", like "^(\\*|did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44})$",
        = |text| match text {
            "*" => Some(Self::Everyone),
            key => key.parse().ok().map(Self::One),
        };
}
