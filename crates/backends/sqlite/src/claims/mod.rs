//! Claims in the database: derived tables that the gate and the fold ask (I3, I5, I6, I9).

mod checks;
mod erasing;
mod fold;
mod indexing;
mod ledger;
mod line;
mod linked;
mod lists;
mod names;
mod recent;
mod tags;
#[cfg(test)]
mod tests;
mod tree;
mod unit_row;
mod units;

pub(crate) use erasing::derive_erased;
pub(crate) use fold::QuestionContext;
pub(crate) use indexing::{clear, derive};
pub(crate) use ledger::Ledger;
pub(crate) use line::names_after;
pub(crate) use linked::{UNIT, are_begun};
pub(crate) use lists::{Listing, MAX_LIST, Which};
pub(crate) use units::Units;
