//! Names and addresses of documents (docs/format/exchange.md §1, §2, §4).

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use counterfoil_types::Sha256Hash;
use sha2::{Digest as _, Sha256};

/// A lower-case UUID in its 36 characters: `request_id`, `response_id` and the ids of vouches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(String);

/// A text that is no id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "an id is a lower-case UUID of 36 characters, such as 0198c0de-0000-7000-8000-000000000000"
)]
pub struct NoId;

impl RequestId {
    /// The UUID of these bytes, whatever its version.
    #[must_use]
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
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RequestId {
    type Err = NoId;

    fn from_str(text: &str) -> Result<Self, NoId> {
        let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let fits = |(at, byte): (usize, u8)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => digit(byte),
        };
        if text.len() == 36 && text.bytes().enumerate().all(fits) {
            return Ok(Self(text.into()));
        }
        Err(NoId)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// 16 random bytes of a request, which its answer repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Nonce([u8; 16]);

impl Nonce {
    /// These bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// From the one spelling: 22 characters of base64url without padding.
    #[must_use]
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

macro_rules! hash {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) Sha256Hash);

        impl $name {
            /// The digest, as it is kept.
            #[must_use]
            pub const fn from_digest(digest: Sha256Hash) -> Self {
                Self(digest)
            }

            /// The digest.
            #[must_use]
            pub const fn digest(&self) -> &Sha256Hash {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0.to_hex())
            }
        }
    };
}

hash! {
    /// What a request is known by: the hash of all of it but its proof (§2).
    RequestHash
}
hash! {
    /// What a claim is known by, whoever says it (§4).
    ClaimHash
}
hash! {
    /// SHA-256 of a document's bytes, proof included.
    DocumentHash
}

impl DocumentHash {
    /// The hash of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256Hash::from_bytes(Sha256::digest(bytes).into()))
    }
}
