//! Texts for people: the reason of a selection, and search text (CR-03, CR-07).

use alloc::string::String;
use core::fmt;

use serde::Serialize;

use crate::json::Value;
use crate::limits::{MAX_QUERY_BYTES, MAX_REASON_BYTES};
use crate::shape::{ShapeError, bounded_text};

/// Reason of a selection: a text to show, not a fact to build on (CR-07, FP-01, FP-07).
///
/// It can be printed and put on the wire; it gives no `&str`, so a program can't take it for
/// content without saying so. It is written by the selector and is as untrusted as the selector.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Reason(String);

impl Reason {
    /// Takes a text of 1 to [`MAX_REASON_BYTES`] bytes.
    ///
    /// # Errors
    /// The text is empty or too long.
    pub fn new(text: impl Into<String>) -> Result<Self, ShapeError> {
        bounded_text("reason", text.into(), MAX_REASON_BYTES).map(Self)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Search text, 1 to [`MAX_QUERY_BYTES`] bytes (CR-03).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Query(String);

impl Query {
    /// Takes a text of 1 to [`MAX_QUERY_BYTES`] bytes.
    ///
    /// # Errors
    /// The text is empty or too long.
    pub fn new(text: impl Into<String>) -> Result<Self, ShapeError> {
        bounded_text("query", text.into(), MAX_QUERY_BYTES).map(Self)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reads one from the member `name`.
    ///
    /// # Errors
    /// The value is anything else; the violation carries the name.
    pub fn read(name: &'static str, value: Value) -> Result<Self, ShapeError> {
        match value {
            Value::String(text) => bounded_text(name, text, MAX_QUERY_BYTES).map(Self),
            _ => Err(ShapeError::one(name, "be non-empty string")),
        }
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    /// CR-07, FP-07.
    #[test]
    fn a_reason_is_never_empty() {
        assert_eq!(
            Reason::new("").unwrap_err().to_string(),
            "reason must be non-empty string"
        );
    }

    /// CR-03.
    #[test]
    fn a_query_is_never_empty() {
        assert_eq!(
            Query::new("").unwrap_err().to_string(),
            "query must be non-empty string"
        );
        assert!(Query::new("x".repeat(MAX_QUERY_BYTES + 1)).is_err());
    }
}
