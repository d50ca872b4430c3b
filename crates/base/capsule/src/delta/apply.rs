//! Applies deltas, forward and back, to one working copy: all of it or nothing.

use alloc::boxed::Box;

use counterfoil_types::json::Value;

use super::Delta;
use super::document::Document;
use super::error::{DeltaError, kind};
use super::operation::{Effect, Op};
use super::pointer::Pointer;
use super::size::{Size, measure, same};

/// Applies deltas one after another, as a chain holds them. The document is cloned once for all.
///
/// `Ok` guarantees what [`Delta::apply`] guarantees, after each of them.
///
/// # Errors
/// [`DeltaError::Document`]; [`DeltaError::Sequence`] around what [`Delta::apply`] says of the
/// first one that does not fit.
pub fn apply_all<'d>(
    document: &Value,
    oldest_first: impl IntoIterator<Item = &'d Delta>,
) -> Result<Value, DeltaError> {
    through(document, oldest_first, forward)
}

/// Undoes deltas one after another: those that led to the document, the newest first. It is
/// cloned once for all, and the deltas are not.
///
/// `Ok` guarantees what [`Delta::apply`] of each inverse guarantees. An error counts operations in
/// the inverse.
///
/// # Errors
/// [`DeltaError::Document`]; [`DeltaError::Sequence`] around what [`Delta::apply`] says of the
/// first inverse that does not fit.
pub fn roll_back<'d>(
    document: &Value,
    newest_first: impl IntoIterator<Item = &'d Delta>,
) -> Result<Value, DeltaError> {
    through(document, newest_first, backward)
}

pub(super) fn apply(delta: &Delta, document: &Value) -> Result<Value, DeltaError> {
    let mut work = Document::open(document).map_err(DeltaError::Document)?;
    forward(&mut work, delta)?;
    Ok(work.into_value())
}

fn through<'d>(
    document: &Value,
    deltas: impl IntoIterator<Item = &'d Delta>,
    go: fn(&mut Document, &Delta) -> Result<(), DeltaError>,
) -> Result<Value, DeltaError> {
    let mut work = Document::open(document).map_err(DeltaError::Document)?;
    for (position, delta) in deltas.into_iter().enumerate() {
        go(&mut work, delta).map_err(|error| DeltaError::Sequence {
            position,
            source: Box::new(error),
        })?;
    }
    Ok(work.into_value())
}

fn forward(work: &mut Document, delta: &Delta) -> Result<(), DeltaError> {
    let steps = delta.operations.iter();
    run(work, steps.map(|op: &Op| (op.path(), op.effect())))
}

fn backward(work: &mut Document, delta: &Delta) -> Result<(), DeltaError> {
    let steps = delta.operations.iter().rev();
    run(work, steps.map(|op| (op.path(), op.effect().inverse())))
}

/// While it runs, a document grows by no more than the delta's own bytes: it is checked at the end.
fn run<'d>(
    work: &mut Document,
    steps: impl Iterator<Item = (&'d Pointer, Effect<&'d Value>)>,
) -> Result<(), DeltaError> {
    for (number, (path, effect)) in steps.enumerate() {
        let mut step = || match effect {
            Effect::Add(value) => work.insert(path, value, size(value)?),
            Effect::Remove(old) => {
                expect(work, path, old)?;
                work.remove(path, size(old)?).map(drop)
            }
            Effect::Replace { old, value } => {
                expect(work, path, old)?;
                work.replace(path, size(old)?, value, size(value)?)
                    .map(drop)
            }
        };
        step().map_err(|cause| DeltaError::at(number, path.as_str(), cause))?;
    }
    work.admitted().map_err(DeltaError::Result)
}

/// That a place holds exactly this: otherwise the delta is one of another document.
fn expect(work: &Document, path: &Pointer, old: &Value) -> Result<(), DeltaError> {
    let found = work.find(path)?;
    if same(found, old) {
        return Ok(());
    }
    Err(DeltaError::OldDiffers {
        expected: kind(old),
        found: kind(found),
    })
}

fn size(value: &Value) -> Result<Size, DeltaError> {
    measure(value).map_err(DeltaError::Value)
}
