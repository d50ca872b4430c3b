//! `rev-json-patch/1`: what changes from one version of a document to the next, so that it can be
//! undone (CAP-3, capsules 4.3).
//!
//! A [`Delta`] is a list of RFC 6902 operations of which each also carries what it takes away. So
//! its inverse needs no document, and any RFC 6902 library applies it forward: `old` is a member
//! that such a library ignores. [`normalise`] is the only way to make one, [`Delta::parse`] the
//! only way to read one; bytes are in `docs/format/delta.md`.
//!
//! Laws, each held by a property test, for documents within
//! [`Limits::CONTENT`](counterfoil_types::json::Limits::CONTENT) and up to RFC 8785 (`1.0` is `1`):
//! * `d.invert().apply(d.apply(x)) = x`, and `d.invert().invert() = d`;
//! * an application that fails changes nothing;
//! * `normalise(x, Replacement(y)).apply(x) = y`;
//! * `parse(d.canonical()) = d`.
//!
//! ```
//! use counterfoil_capsule::delta::{Change, Delta, normalise};
//! use serde_json::json;
//!
//! let before = json!({ "key": "under the blue pot", "tags": ["home"] });
//! let patch = json!([{ "op": "add", "path": "/tags/-", "value": "key" }]);
//! let delta = normalise(&before, Change::Patch(&patch))?;
//! assert_eq!(delta.canonical()?, r#"[{"op":"add","path":"/tags/1","value":"key"}]"#);
//!
//! let after = delta.apply(&before)?;
//! assert_eq!(after["tags"], json!(["home", "key"]));
//! assert_eq!(delta.invert().apply(&after)?, before);
//! # Ok::<(), counterfoil_capsule::delta::DeltaError>(())
//! ```

mod apply;
mod diff;
mod document;
mod draft;
mod error;
mod merge;
mod normalise;
mod operation;
mod patch;
mod pointer;
mod read;
mod replace;
mod request;
mod size;
mod write;

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::json::{Limits, Value};

use operation::Op;

pub use apply::{apply_all, roll_back};
pub use error::DeltaError;
pub use normalise::{Change, normalise};
pub use operation::Effect;
pub use pointer::{MAX_POINTER_DEPTH, tokens};
pub use replace::{REPLACE_FORMAT, replaced, replacement};
pub(crate) use size::same;

/// Name of this format in a capsule's header (`delta.format`).
pub const FORMAT: &str = "rev-json-patch/1";

/// The most bytes of a delta in canonical form, and of its inverse: 256 KiB.
///
/// Both count, so that whatever was applied can also be written down undone.
pub const MAX_DELTA_BYTES: usize = 256 << 10;

/// The most operations of a delta, and of a patch that is normalised.
///
/// No delta has as many: 10,000 of the shortest operations are more than [`MAX_DELTA_BYTES`].
pub const MAX_OPERATIONS: usize = 10_000;

/// The deepest nesting of a delta as a JSON document: a value in it nests at most 62.
pub const MAX_DELTA_DEPTH: usize = Limits::CONTENT.depth;

/// A reversible change of one document into another.
///
/// Its operations are well-formed and its sizes within the limits, in both directions. Whether it
/// fits a document is found out by [`apply`](Self::apply). Two deltas are equal when their
/// canonical bytes are.
#[derive(Debug, Clone, Default)]
pub struct Delta {
    operations: Vec<Op>,
}

impl PartialEq for Delta {
    fn eq(&self, other: &Self) -> bool {
        self.canonical() == other.canonical()
    }
}

impl Delta {
    /// Reads a delta: canonical JSON (RFC 8785), closed members, at most 256 KiB.
    ///
    /// # Errors
    /// [`DeltaError::Delta`] for bytes that are not canonical JSON or too many or too deep,
    /// [`DeltaError::NotAList`], [`DeltaError::Member`], [`DeltaError::UnknownMember`],
    /// [`DeltaError::TooLarge`] when the inverse would be too large.
    pub fn parse(bytes: &[u8]) -> Result<Self, DeltaError> {
        read::parse(bytes)
    }

    /// Canonical JSON of the delta, which is salted, hashed and kept.
    ///
    /// # Errors
    /// [`DeltaError::Delta`], which no delta that was parsed or normalised brings about.
    pub fn canonical(&self) -> Result<String, DeltaError> {
        write::canonical(self)
    }

    /// Applies all operations, or none.
    ///
    /// The document is walked and cloned once. `Ok` guarantees that every `old` was what stood at
    /// its place, and that the result is within `Limits::CONTENT`. It says nothing about who made
    /// the delta.
    ///
    /// # Errors
    /// [`DeltaError::Document`] when the document itself is beyond the limits,
    /// [`DeltaError::Operation`] with the place and the cause when an operation does not fit,
    /// [`DeltaError::Result`] when what comes out is beyond the limits.
    pub fn apply(&self, document: &Value) -> Result<Value, DeltaError> {
        apply::apply(self, document)
    }

    /// The delta back: operations in reverse order, add for remove, `old` for `value`.
    pub fn invert(&self) -> Self {
        let back = self.operations.iter().rev().map(Op::inverse);
        Self {
            operations: back.collect(),
        }
    }

    /// The operations, in the order in which they are applied: a place, as a JSON pointer, and the effect there. The place
    /// is the root only in a replacement.
    pub fn operations(&self) -> impl Iterator<Item = (&str, Effect<&Value>)> {
        let operations = self.operations.iter();
        operations.map(|operation| (operation.path().as_str(), operation.effect()))
    }

    /// Number of operations.
    pub const fn len(&self) -> usize {
        self.operations.len()
    }

    /// Returns whether nothing changes. Such a delta is recorded like any other.
    pub const fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }
}
