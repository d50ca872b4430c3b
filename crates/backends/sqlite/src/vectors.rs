//! Vectors of meaning: half-precision rows, their sign bits in blocks, and the search over both (decision 0058).
//!
//! Derived state that depends on a model and not on the log alone, so it is in no digest, and a rebuild keeps the rows whose
//! World is still there. The sign bits of all rows are held in memory and scanned; the nearest are compared by their rows.

mod audit;
mod cache;
mod halves;
mod rows;
mod scan;
mod signs;
mod spread;
mod sql;
#[cfg(test)]
mod tests;

pub(crate) use audit::examine;
pub(crate) use cache::SignCache;
pub(crate) use rows::{add, finish_index, migrate, missing, model, progress};
pub(crate) use scan::{Wanted, cosines, nearest};
pub(crate) use spread::Spread;
pub(crate) use sql::{MIGRATION_SQL, TABLES};
