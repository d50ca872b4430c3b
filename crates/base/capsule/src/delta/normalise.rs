//! The only entrance: whatever form a change comes in, a delta goes out (capsules 4.3).

use counterfoil_types::json::Value;

use super::error::DeltaError;
use super::size::measure;
use super::{Delta, diff, merge, patch};

/// A change of a document, in a form that others write.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change<'c> {
    /// A JSON Patch (RFC 6902): an array of operations.
    Patch(&'c Value),
    /// A JSON Merge Patch (RFC 7396): members to be set, `null` for those to be removed.
    MergePatch(&'c Value),
    /// The whole new document.
    Replacement(&'c Value),
}

/// Makes the delta that changes `document` as asked.
///
/// Of a patch, operations stay in order: `add` where a member is becomes `replace`, `move` becomes
/// `remove` and `add`, `copy` becomes `add`, `test` is checked and dropped, `-` becomes an index,
/// and `add` or `replace` with the value that is there already is dropped. A merge patch and a replacement
/// become a small delta, the same for the same documents and never larger than one replacement of
/// the root. It is empty when nothing changes.
///
/// `Ok` guarantees that the delta applies to `document`, and that its inverse applies to what comes
/// out. Time is linear in the document and the change, save that an insertion moves the later
/// elements of its array.
///
/// # Errors
/// [`DeltaError::Document`], [`DeltaError::Change`], [`DeltaError::Result`] for a document, change
/// or outcome beyond `Limits::CONTENT`; [`DeltaError::NotAList`], [`DeltaError::Member`],
/// [`DeltaError::TooManyOperations`] if it is no patch; [`DeltaError::Operation`] for one that
/// does not fit; [`DeltaError::TooLarge`], [`DeltaError::Delta`] for a delta beyond its limits.
pub fn normalise(document: &Value, change: Change<'_>) -> Result<Delta, DeltaError> {
    match change {
        Change::Patch(operations) => patch::normalise(document, operations),
        Change::MergePatch(patch) => {
            let merged = merge::merged(document, patch)?;
            measured(&merged).map_err(DeltaError::Result)?;
            diff::between(document, &merged)
        }
        Change::Replacement(new) => {
            measured(document).map_err(DeltaError::Document)?;
            measured(new).map_err(DeltaError::Change)?;
            diff::between(document, new)
        }
    }
}

fn measured(value: &Value) -> Result<(), counterfoil_types::json::JsonError> {
    measure(value)?.admitted().map(drop)
}
