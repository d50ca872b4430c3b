//! `WorldId`: opaque, compared and carried but never taken apart (M-11, CR-18, FP-12).

use alloc::string::String;
use core::fmt;

use crate::json::{Limits, Value};
use crate::limits::MAX_WORLD_ID_BYTES;
use crate::shape::{ShapeError, bounded_text};
use crate::text_form;
use crate::wire::from_json;

/// The identifier of a World (World Protocol §4.1). Its format is not our business (M-11).
///
/// It can be compared, hashed, ordered, printed and put on the wire. It offers no `&str`, so
/// code that would split it, look for a prefix or measure it does not compile:
///
/// ```compile_fail
/// # let id = counterfoil_types::WorldId::new("schema:root").unwrap();
/// let (schema, root) = id.split_once(':').unwrap();
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorldId(String);

impl WorldId {
    /// Takes any text of 1 to [`MAX_WORLD_ID_BYTES`] bytes as an identifier (CR-05, CR-06).
    ///
    /// # Errors
    /// The text is empty or too long.
    pub fn new(id: impl Into<String>) -> Result<Self, ShapeError> {
        bounded_text("worldId", id.into(), MAX_WORLD_ID_BYTES).map(Self)
    }

    /// The identifier as bytes, to be hashed or stored whole: the only way in.
    pub fn opaque_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Reads one from the member `name`.
    ///
    /// # Errors
    /// The value is anything else; the violation carries the name.
    pub fn read(name: &'static str, value: Value) -> Result<Self, ShapeError> {
        match value {
            Value::String(id) => bounded_text(name, id, MAX_WORLD_ID_BYTES).map(Self),
            _ => Err(ShapeError::one(name, "be non-empty string")),
        }
    }
}

impl TryFrom<Value> for WorldId {
    type Error = ShapeError;

    fn try_from(value: Value) -> Result<Self, ShapeError> {
        Self::read("worldId", value)
    }
}

from_json!(WorldId, Limits::PROOF);

text_form! {
    WorldId: "a WorldId of 1 to 1024 bytes", = |id| Self::new(id).ok();
}

impl fmt::Display for WorldId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// In quotes and escaped, for messages: an identifier may hold anything.
impl fmt::Debug for WorldId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    /// CR-06, CR-18: any non-empty text is an identifier, whatever it looks like.
    #[test]
    fn any_text_is_an_identifier() {
        for id in ["w", " ", "schema:root", "世界-🌍", "a\nb", "\0"] {
            assert_eq!(WorldId::new(id).unwrap().to_string(), id);
        }
    }

    #[test]
    fn empty_and_oversized_are_refused() {
        assert_eq!(
            WorldId::new("").unwrap_err().to_string(),
            "worldId must be non-empty string"
        );
        assert!(WorldId::new("x".repeat(MAX_WORLD_ID_BYTES)).is_ok());
        assert!(WorldId::new("x".repeat(MAX_WORLD_ID_BYTES + 1)).is_err());
    }

    /// M-11: equality is of bytes; case, normal form and space all matter.
    #[test]
    fn equality_is_of_bytes() {
        let id = |text: &str| WorldId::new(text).unwrap();
        assert_ne!(id("w"), id("W"));
        assert_ne!(id("w"), id("w "));
        assert_ne!(id("é"), id("e\u{301}"));
    }
}
