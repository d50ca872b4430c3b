//! Reference of a header to a body that is kept beside it: address, size and kind (capsules 4.1).

use alloc::string::{String, ToString};

use counterfoil_types::Blake3Hash;

use crate::digest::{delta_hash, payload_hash};
use crate::error::CapsuleError;

/// Address and size of a payload or a delta.
///
/// The body itself and its salt lie outside the header and can be erased; the header stays valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyRef {
    pub(super) hash: Blake3Hash,
    pub(super) size: u64,
    pub(super) label: Option<String>,
}

impl BodyRef {
    /// Names a payload by its salted hash. `canonical` is its RFC 8785 text.
    pub fn payload(salt: &[u8; 32], canonical: &str) -> Self {
        let hash = payload_hash(salt, canonical.as_bytes());
        Self {
            hash,
            size: size_of(canonical),
            label: None,
        }
    }

    /// Names a delta by its salted hash. `format` says how it is to be applied.
    ///
    /// # Errors
    /// [`CapsuleError::Document`] when `format` is not 1 to 127 printable ASCII characters without
    /// space, quotation mark and backslash.
    pub fn delta(salt: &[u8; 32], canonical: &str, format: &str) -> Result<Self, CapsuleError> {
        if !is_label(format) {
            return Err(CapsuleError::at("header", "/delta/format", LABEL));
        }
        let hash = delta_hash(salt, canonical.as_bytes());
        Ok(Self::of_delta(hash, canonical, format))
    }

    /// Names a delta of a known format.
    pub(crate) fn of_delta(hash: Blake3Hash, canonical: &str, format: &str) -> Self {
        Self {
            hash,
            size: size_of(canonical),
            label: Some(format.to_string()),
        }
    }

    /// The salted hash.
    pub const fn hash(&self) -> Blake3Hash {
        self.hash
    }

    /// Bytes of the body.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// `media_type` of a payload, `format` of a delta. The writer's word.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }
}

/// A body of a capsule with the salt of its address: what can be erased.
#[derive(Clone, PartialEq, Eq)]
pub struct SaltedBody {
    /// Canonical JSON.
    pub text: String,
    /// The salt.
    pub salt: [u8; 32],
}

/// Content and salt stay out of log lines.
impl core::fmt::Debug for SaltedBody {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("SaltedBody")
            .field("bytes", &self.text.len())
            .finish_non_exhaustive()
    }
}

/// Requirement on a label.
pub(super) const LABEL: &str = "1 to 127 printable ASCII characters without space, \" and \\";

pub(super) fn is_label(text: &str) -> bool {
    let fits = (1..=127).contains(&text.len());
    fits && text
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\'))
}

/// A length in memory as a number of the format; it is never beyond 2^53 here.
fn size_of(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}
