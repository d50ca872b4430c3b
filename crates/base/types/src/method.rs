//! Methods by which a memory was verified (§5.1.2): five known methods, and those of applications (MR-04).

use alloc::string::String;
use core::fmt;

use crate::json::Value;
use crate::shape::{ShapeError, bounded_text};

/// The longest name of an application's method, in bytes.
const MAX_METHOD_BYTES: usize = 128;

/// A verification method. Names are compared byte for byte: `Merkle` is not `merkle`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VerificationMethod {
    /// `none`: nothing was verified; never verifies.
    None,
    /// `existence`: the World was in the store.
    Existence,
    /// `hash`: the content matched its digest.
    Hash,
    /// `signature`: the agent signed the capsule.
    Signature,
    /// `merkle`: the capsule is in a log under a signed checkpoint.
    Merkle,
    /// A method of the application's own (MR-04), never one of the five; made by [`new`](Self::new) alone.
    #[non_exhaustive]
    Custom(String),
}

impl VerificationMethod {
    /// Reads a method's name, 1 to 128 bytes.
    ///
    /// # Errors
    /// The name is empty or too long.
    pub fn new(name: impl Into<String>) -> Result<Self, ShapeError> {
        let name = bounded_text("method", name.into(), MAX_METHOD_BYTES)?;
        Ok(match name.as_str() {
            "none" => Self::None,
            "existence" => Self::Existence,
            "hash" => Self::Hash,
            "signature" => Self::Signature,
            "merkle" => Self::Merkle,
            _ => Self::Custom(name),
        })
    }

    /// The name on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::None => "none",
            Self::Existence => "existence",
            Self::Hash => "hash",
            Self::Signature => "signature",
            Self::Merkle => "merkle",
            Self::Custom(name) => name,
        }
    }

    pub(crate) fn read(name: &'static str, value: Value) -> Result<Self, ShapeError> {
        match value {
            Value::String(method) => Self::new(method),
            _ => Err(ShapeError::one(name, "be non-empty string")),
        }
    }
}

impl fmt::Display for VerificationMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

crate::text_form! {
    VerificationMethod: "the name of a verification method, 1 to 128 bytes", = |name| Self::new(name).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NS-03.
    #[test]
    fn names_are_compared_byte_for_byte() {
        for name in ["Merkle", "merkle ", "m\u{435}rkle", "MERKLE", "zk-snark"] {
            let method = VerificationMethod::new(name).unwrap();
            assert!(matches!(method, VerificationMethod::Custom(_)), "{name}");
            assert_eq!(method.as_str(), name);
        }
    }
}
