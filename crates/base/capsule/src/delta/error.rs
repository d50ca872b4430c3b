//! Why a change is not made, by cause; each message says what to do.

use alloc::boxed::Box;
use alloc::string::String;

use counterfoil_types::json::{JsonError, Value};

/// A delta was not read, made or applied. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeltaError {
    /// The delta is not canonical JSON within the limits.
    #[error("the delta is refused: {0}")]
    Delta(JsonError),
    /// The document that is to be changed is beyond what a capsule holds.
    #[error("the document to be changed is refused: {0}")]
    Document(JsonError),
    /// The patch or the new value has no canonical form, or is beyond what a capsule holds.
    #[error("the change is refused: {0}")]
    Change(JsonError),
    /// The result would be beyond the limits of a capsule.
    #[error("the document would not fit a capsule when changed: {0}")]
    Result(JsonError),
    /// Not a list of operations.
    #[error("the {what} is {found}; it must be an array of operations")]
    NotAList {
        /// Delta or patch.
        what: &'static str,
        /// Name of the limit.
        found: &'static str,
    },
    /// A member of an operation is absent or not what it must be.
    #[error("operation {operation} (counted from 0): {member} must be {must}")]
    Member {
        /// Its number, from 0.
        operation: usize,
        /// The member.
        member: &'static str,
        /// Requirement.
        must: &'static str,
    },
    /// A member that an operation of a delta does not have.
    #[error(
        "operation {operation} (counted from 0): unknown member {member:?}; remove it, or normalise the patch first"
    )]
    UnknownMember {
        /// The number of the operation, from 0.
        operation: usize,
        /// The beginning of the member's name.
        member: String,
    },
    /// More operations than are looked at.
    #[error("{found} operations where {limit} are the most; change less at once")]
    TooManyOperations {
        /// Number of operations.
        found: usize,
        /// The most.
        limit: usize,
    },
    /// The delta or its inverse would be larger than is kept.
    #[error("the delta takes {found} bytes or more, {limit} are the most; change less at once")]
    TooLarge {
        /// Bytes, as far as they were counted.
        found: usize,
        /// The most bytes.
        limit: usize,
    },
    /// An operation does not fit the document.
    #[error("operation {operation} (counted from 0) at {path:?}: {cause}")]
    Operation {
        /// Its number, from 0.
        operation: usize,
        /// The place; the beginning of it, when it is long.
        path: String,
        /// Fault at the place, one of the variants below [`Sequence`](Self::Sequence).
        cause: Box<DeltaError>,
    },
    /// A delta of several does not fit.
    #[error("delta {position} (counted from 0): {source}")]
    Sequence {
        /// Index of the operation, from 0.
        position: usize,
        /// Why.
        source: Box<DeltaError>,
    },
    /// Not a JSON pointer.
    #[error(
        "not a JSON pointer; begin with \"/\", write \"~0\" for \"~\" and \"~1\" for \"/\", at most 64 names deep (RFC 6901)"
    )]
    NotAPointer,
    /// No such member.
    #[error("there is no member {name:?}; name one that is there, or add it first")]
    NoMember {
        /// The beginning of its name.
        name: String,
    },
    /// A member that is to be added is there.
    #[error("the member is there and is {found}; replace it")]
    Occupied {
        /// Kind of the value.
        found: &'static str,
    },
    /// A path leads into a value that has no parts.
    #[error("the path leads into {found}, which has no parts; end the path there")]
    NoParts {
        /// Kind of the value on the way.
        found: &'static str,
    },
    /// An array is asked for something else than a number.
    #[error("{token:?} is not an index; use 0, or digits of which the first is not 0")]
    NotAnIndex {
        /// The beginning of the token.
        token: String,
    },
    /// An array is asked for an element beyond its end.
    #[error("the index {index} is beyond the array, which has {length} elements")]
    BeyondEnd {
        /// The index.
        index: usize,
        /// Number of elements.
        length: usize,
    },
    /// The root is always there: it is neither added nor removed.
    #[error("the path names the whole document, which is always there; replace it")]
    Root,
    /// The value at the place differs from the one in the delta.
    #[error(
        "`old` is {expected}, and here stands {found} that is not the same; make the delta from this document"
    )]
    OldDiffers {
        /// The kind of `old`.
        expected: &'static str,
        /// Kind of the value.
        found: &'static str,
    },
    /// A test of a patch does not hold.
    #[error(
        "the test is for {expected}, and here stands {found} that is not the same; make the patch from this document"
    )]
    TestFailed {
        /// The kind of the tested value.
        expected: &'static str,
        /// Kind of the value.
        found: &'static str,
    },
    /// A value can't be moved into itself.
    #[error("it would be moved into itself; copy it, or move it elsewhere")]
    IntoItself,
    /// The value would lie too deep, or has no canonical form.
    #[error("the value can't stand here: {0}")]
    Value(JsonError),
}

/// Kind of a JSON value, with its article.
pub(super) const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

impl DeltaError {
    pub(super) fn at(operation: usize, path: &str, cause: Self) -> Self {
        let (path, cause) = (beginning(path), Box::new(cause));
        Self::Operation {
            operation,
            path,
            cause,
        }
    }
}

/// Shortens a foreign text for a message.
pub(super) fn beginning(text: &str) -> String {
    text.chars().take(256).collect()
}
