//! JSON as we accept it and as we write it: strict in, canonical out (RFC 8259, 7493, 8785).
//!
//! [`parse`] refuses what parsers disagree on: duplicate members, integers that a double can't
//! hold, lone surrogates, a byte order mark, bottomless nesting. [`canonical`] writes the one
//! RFC 8785 form of a value. [`admit`] is the entrance for bytes that are hashed or signed: they
//! must already *be* that form.

mod canonical;
mod number;
mod strict;
mod surrogates;

use alloc::string::String;

pub use canonical::{canonical, canonical_around};
pub(crate) use number::safe_integer;
pub use serde_json::Value;
pub(crate) use strict::Strict;
pub use surrogates::parse_message;

/// A JSON object.
pub type Map = serde_json::Map<String, Value>;

/// Limits on a document; larger ones are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the document.
    pub bytes: usize,
    /// Arrays and objects inside one another; values above 66 count as 66.
    pub depth: usize,
    /// Values of any kind, members' names not counted.
    pub nodes: usize,
}

impl Limits {
    /// A whole document, such as a proposal with its trace: 16 MiB, depth 64, 1,000,000 values.
    pub const DOCUMENT: Self = Self {
        bytes: 16 << 20,
        depth: 64,
        nodes: 1_000_000,
    };
    /// A proof with disclosed words: 1 MiB, depth 64, 100,000 values.
    pub const DISCLOSED: Self = Self {
        bytes: 1 << 20,
        depth: 64,
        nodes: 100_000,
    };
    /// Anything smaller than a content: 64 KiB, depth 64, 10,000 values.
    pub const PROOF: Self = Self {
        bytes: 64 << 10,
        depth: 64,
        nodes: 10_000,
    };
    /// The content of a World: 1 MiB, depth 64, 10,000 values.
    pub const CONTENT: Self = Self {
        bytes: 1 << 20,
        depth: 64,
        nodes: 10_000,
    };
    /// An exported capsule, in which a content and a delta lie two deep: 2 MiB, depth 66, 300,000
    /// values.
    pub const EXPORTED: Self = Self {
        bytes: 2 << 20,
        depth: 66,
        nodes: 300_000,
    };
    /// The header of a capsule: 4 KiB, depth 64, 10,000 values.
    pub const HEADER: Self = Self {
        bytes: 4 << 10,
        depth: 64,
        nodes: 10_000,
    };
}

/// Bytes are not JSON as it is accepted here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// More bytes than are read.
    #[error("{found} bytes of JSON where at most {limit} are read; send less at once")]
    TooLarge {
        /// The most bytes that are read.
        limit: usize,
        /// Number that was found.
        found: usize,
    },
    /// Not UTF-8.
    #[error("not UTF-8 at byte {at}; JSON is UTF-8 (RFC 8259 §8.1)")]
    NotUtf8 {
        /// The first bad byte.
        at: usize,
    },
    /// A byte order mark in front.
    #[error("a byte order mark stands in front; remove it (RFC 8259 §8.1)")]
    ByteOrderMark,
    /// Not JSON.
    #[error("not JSON at line {line}, column {column}; {hint}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column, from 1; 0 at a line's start.
        column: usize,
        /// Likely cause.
        hint: &'static str,
    },
    /// One name twice in an object: parsers disagree on which counts.
    #[error("the member {name:?} stands twice in one object; keep one")]
    DuplicateMember {
        /// The member's name.
        name: String,
    },
    /// Nested too deep.
    #[error("nested more than {limit} deep; flatten it")]
    TooDeep {
        /// The deepest nesting that is read.
        limit: usize,
    },
    /// Too many values.
    #[error("more than {limit} values in one document; send less at once")]
    TooManyValues {
        /// The most values that are read.
        limit: usize,
    },
    /// An integer that not every JSON parser reads as itself.
    #[error(
        "an integer beyond 9007199254740991 loses digits in other parsers; write it as a string"
    )]
    UnsafeInteger,
    /// Half of a surrogate pair, which is no character.
    #[error("half of a surrogate pair stands in a string; repair the text (RFC 8259 §8.2)")]
    LoneSurrogate,
    /// JSON, but not the canonical spelling of it.
    #[error("not in canonical form from byte {at} on; hash and sign RFC 8785 JSON only")]
    NotCanonical {
        /// The first byte that differs.
        at: usize,
    },
}

/// Reads one JSON value, strictly.
///
/// `Ok` guarantees: UTF-8 without byte order mark, one value and nothing behind it, no duplicate
/// members, every integer within ±(2^53 - 1), nesting and counts within `limits`.
///
/// # Errors
/// The first thing that is wrong, see [`JsonError`].
pub fn parse(bytes: &[u8], limits: Limits) -> Result<Value, JsonError> {
    strict::parse(bytes, limits)
}

/// Reads JSON that is hashed or signed: strict, and byte for byte its own canonical form.
///
/// That one comparison refuses `1.0`, `-0`, needless escapes, white space and another order of
/// members (`proof.md` §4).
///
/// # Errors
/// As [`parse`], and [`JsonError::NotCanonical`].
pub fn admit(bytes: &[u8], limits: Limits) -> Result<Value, JsonError> {
    let value = parse(bytes, limits)?;
    let written = canonical(&value)?;
    same_bytes(&written, bytes)?;
    Ok(value)
}

/// Compares bytes with the canonical form that was written from their value.
///
/// # Errors
/// [`JsonError::NotCanonical`].
pub fn same_bytes(written: &str, bytes: &[u8]) -> Result<(), JsonError> {
    if written.as_bytes() == bytes {
        return Ok(());
    }
    let same = written
        .bytes()
        .zip(bytes)
        .take_while(|(ours, theirs)| ours == *theirs)
        .count();
    Err(JsonError::NotCanonical { at: same })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Capsules A1-A5: what is hashed has one spelling.
    #[test]
    fn only_canonical_bytes_are_admitted() {
        assert!(admit(br#"{"a":1,"b":[true,null,"x"]}"#, Limits::CONTENT).is_ok());
        for wire in [
            r#"{"b":1,"a":1}"#,
            r#"{"a": 1}"#,
            r#"{"a":1.0}"#,
            r#"{"a":1e0}"#,
            r#"{"a":-0}"#,
            r#"{"a":1E21}"#,
            r#"{"a":"\u0061"}"#,
            r#"{"a":"\/"}"#,
            "{\"a\":1}\n",
        ] {
            assert!(
                matches!(
                    admit(wire.as_bytes(), Limits::CONTENT),
                    Err(JsonError::NotCanonical { .. })
                ),
                "{wire}"
            );
        }
    }
}
