//! What is wrong with a value, in the words of specification §12.
//!
//! §12 collects the violations of a value and joins them with `"; "`, a nested value's behind
//! its place (`ref: …`, `selected[3]: …`). The same texts come out here, from typed violations
//! that a caller can match on.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::json::JsonError;

/// Everything that is wrong with one value; never empty.
///
/// `Display` gives the text of §12, violations joined by `"; "`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeError {
    violations: Vec<Violation>,
}

impl ShapeError {
    /// The violations in the order in which §12 checks for them.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    pub(crate) fn one(name: &'static str, must: Must) -> Self {
        Self {
            violations: alloc::vec![Violation::Field { name, must }],
        }
    }
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, violation) in self.violations.iter().enumerate() {
            if position > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{violation}")?;
        }
        Ok(())
    }
}

impl core::error::Error for ShapeError {}

/// One thing that is wrong: a member, or a nested value with its own violations.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// A member is not what it must be.
    #[error("{name} {must}")]
    Field {
        /// The member's name on the wire.
        name: &'static str,
        /// Requirement.
        must: Must,
    },
    /// A nested value is wrong.
    #[error("{place}: {error}")]
    Within {
        /// Place of the nested value.
        place: Place,
        /// Violations of the nested value.
        error: ShapeError,
    },
}

/// Requirement on a member; `Display` begins with "must".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Must {
    /// A string of at least one character.
    #[error("must be non-empty string")]
    NonEmptyString,
    /// A string.
    #[error("must be string")]
    String,
    /// An integer from 1 to 2^53 - 1.
    #[error("must be positive integer")]
    PositiveInteger,
    /// A number.
    #[error("must be number")]
    Number,
    /// A number from 0 to 1, both included.
    #[error("must be in range [0, 1]")]
    UnitRange,
    /// A boolean.
    #[error("must be boolean")]
    Boolean,
    /// An array.
    #[error("must be array")]
    Array,
    /// An object.
    #[error("must be object")]
    Object,
    /// An actor reference: non-empty `actorId`, `kind` human, agent or system.
    #[error("must be valid ActorRef")]
    ActorRef,
    /// No more than so many (bytes of a text, members of an array).
    #[error("must be at most {limit} {unit}, not {found}")]
    AtMost {
        /// The most that is allowed.
        limit: usize,
        /// Unit of the count.
        unit: &'static str,
        /// Number that was found.
        found: usize,
    },
    /// One of a closed list of words.
    #[error("must be one of {0}")]
    OneOf(&'static str),
    /// Free of a member that may not stand there (M-8, CR-19, CR-20).
    #[error("must not contain {0}: a proof holds no time and no actor")]
    NotContain(&'static str),
    /// An empty or reversed interval.
    #[error("must have after earlier than before")]
    OrderedRange,
}

/// Place of a nested value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A member of the enclosing object.
    Member(&'static str),
    /// An element of the array `selected`.
    Selected(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member(name) => f.write_str(name),
            Self::Selected(index) => write!(f, "selected[{index}]"),
        }
    }
}

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
pub(crate) struct Violations(Vec<Violation>);

impl Violations {
    /// Keeps a good value, or records the violations of a bad one under its place.
    pub(crate) fn within<T>(&mut self, place: Place, result: Result<T, ShapeError>) -> Option<T> {
        result
            .map_err(|error| self.0.push(Violation::Within { place, error }))
            .ok()
    }

    /// Keeps a good value, or takes over the violations of a bad one, at this level.
    pub(crate) fn here<T>(&mut self, result: Result<T, ShapeError>) -> Option<T> {
        result.map_err(|error| self.0.extend(error.violations)).ok()
    }

    /// `value` if nothing went wrong.
    ///
    /// Every `None` that a reader produces is recorded as a violation, so a missing value with
    /// an empty list can't happen; it is reported as the object being wrong rather than trusted.
    pub(crate) fn finish<T>(self, value: Option<T>) -> Result<T, ShapeError> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ if self.0.is_empty() => Err(ShapeError::one("value", Must::Object)),
            _ => Err(ShapeError { violations: self.0 }),
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
        0 => Err(ShapeError::one(name, Must::NonEmptyString)),
        _ if found > limit => Err(ShapeError::one(
            name,
            Must::AtMost {
                limit,
                unit: "bytes",
                found,
            },
        )),
        _ => Ok(text),
    }
}
