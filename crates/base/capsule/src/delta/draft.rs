//! A delta in the making: what an operation takes is checked before its values are cloned.

use alloc::vec::Vec;

use counterfoil_types::json::JsonError;

use super::error::DeltaError;
use super::operation::{Effect, Op};
use super::size::Size;
use super::write::cost;
use super::{Delta, MAX_DELTA_BYTES, MAX_DELTA_DEPTH};

/// Operations so far, and what they take.
#[derive(Default)]
pub(super) struct Draft {
    operations: Vec<Op>,
    bytes: usize,
}

impl Draft {
    /// Charges for an operation that is about to be pushed.
    pub(super) fn charge(
        &mut self,
        path_bytes: usize,
        effect: Effect<Size>,
    ) -> Result<(), DeltaError> {
        self.bytes = paid(self.bytes.saturating_add(cost(path_bytes, effect)))?;
        Ok(())
    }

    /// Returns whether a value of this size could still occur.
    pub(super) fn room(&self, size: Size) -> Result<(), DeltaError> {
        paid(self.bytes.saturating_add(size.bytes)).map(drop)
    }

    /// Adds an operation that was charged for.
    pub(super) fn push(&mut self, operation: Op) {
        self.operations.push(operation);
    }

    pub(super) fn finish(self) -> Delta {
        Delta {
            operations: self.operations,
        }
    }
}

/// Checks the size of all operations, in bytes.
pub(super) fn paid(bytes: usize) -> Result<usize, DeltaError> {
    let limit = MAX_DELTA_BYTES;
    match bytes.checked_add(1) {
        Some(found) if found <= limit => Ok(bytes),
        Some(found) => Err(DeltaError::TooLarge { found, limit }),
        None => Err(DeltaError::Delta(JsonError::TooDeep {
            limit: MAX_DELTA_DEPTH,
        })),
    }
}
