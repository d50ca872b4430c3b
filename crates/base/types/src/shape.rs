//! Faults of values, in the words of specification §12.
//!
//! §12 collects the violations of a value and joins them with `"; "`, a nested value's behind
//! its place (`ref: …`, `selected[3]: …`). The same texts come out here.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::json::JsonError;

/// Everything that is wrong with one value, as texts; never empty.
///
/// `Display` gives the text of §12, violations joined by `"; "`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeError(Vec<String>);

impl ShapeError {
    /// A member that must be something else.
    pub(crate) fn one(name: &str, must: &str) -> Self {
        Self(alloc::vec![format!("{name} must {must}")])
    }

    /// A member with more than so many (bytes of a text, members of an array).
    pub(crate) fn at_most(name: &str, limit: usize, unit: &str, found: usize) -> Self {
        Self::one(name, &format!("be at most {limit} {unit}, not {found}"))
    }
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("; "))
    }
}

impl core::error::Error for ShapeError {}

/// Error of a store, a selector or a prover, of an application's own or of this project; its type is reached by `downcast`.
pub type BoxError = Box<dyn core::error::Error + Send + Sync>;

/// A document could not be read: it is not strict JSON, or it has the wrong shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The bytes are not JSON as we accept it.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The JSON is not the value that was asked for.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// Collects violations while a value is read; the value comes out only if there are none.
#[derive(Debug, Default)]
pub(crate) struct Violations(Vec<String>);

impl Violations {
    /// Keeps a good value, or records the violations of a bad one under its place.
    pub(crate) fn within<T>(&mut self, place: &str, result: Result<T, ShapeError>) -> Option<T> {
        result
            .map_err(|error| self.0.push(format!("{place}: {error}")))
            .ok()
    }

    /// Keeps a good value, or takes over the violations of a bad one, at this level.
    pub(crate) fn here<T>(&mut self, result: Result<T, ShapeError>) -> Option<T> {
        result.map_err(|error| self.0.extend(error.0)).ok()
    }

    /// `value` if nothing went wrong.
    ///
    /// Every `None` that a reader produces is recorded as a violation, so a missing value with
    /// an empty list can't happen; it is reported as the object being wrong rather than trusted.
    pub(crate) fn finish<T>(self, value: Option<T>) -> Result<T, ShapeError> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ if self.0.is_empty() => Err(ShapeError::one("value", "be object")),
            _ => Err(ShapeError(self.0)),
        }
    }
}

/// Reads a text of 1 to `limit` bytes.
pub(crate) fn bounded_text(
    name: &'static str,
    text: String,
    limit: usize,
) -> Result<String, ShapeError> {
    let found = text.len();
    match found {
        0 => Err(ShapeError::one(name, "be non-empty string")),
        _ if found > limit => Err(ShapeError::at_most(name, limit, "bytes", found)),
        _ => Ok(text),
    }
}
