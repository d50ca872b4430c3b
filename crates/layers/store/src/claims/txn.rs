//! Index of units inside of one write transaction (I3).

use counterfoil_claims::{LineView, Unit};

use crate::StoreError;

/// Lines of one agent inside of one write transaction. Units that were indexed are in its answers at once.
pub trait ClaimTxn: LineView {
    /// Derives the rows of a unit: of one that is about to be appended, or, when tables are made again, of one that was
    /// read from the log. Nothing else writes them. Units come in the order of the log.
    ///
    /// # Errors
    /// When they cannot be written; the backend then undoes the whole transaction.
    fn index_unit(&mut self, unit: &Unit) -> Result<(), StoreError>;

    /// Writes the rows that were collected. Called when all requests are judged.
    ///
    /// # Errors
    /// As [`ClaimTxn::index_unit`].
    fn finish(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    /// The error behind the last [`ClaimError::View`](counterfoil_claims::ClaimError::View), which says only that there was one.
    fn take_fault(&mut self) -> Option<StoreError> {
        None
    }
}
