//! One pass over all entries of the log in one snapshot, and two views of it: [`check`] judges capsules
//! (CAP "Validation"; C16, 4.5), [`check`] compares tables (F6: no column that can change an answer is left out).
//!
//! ```text
//! calling thread   reads entries, links chains, makes the tree, hands on verdicts: it alone has the transaction
//! workers          parse headers, make entries and leaves, hash bodies, check signatures; make contents, chain by chain
//! ```

mod audit;
mod beside;
mod contents;
mod examine;
mod feeds;
mod head;
mod journal;
mod known;
mod lines;
mod links;
mod pass;
mod segments;
mod tally;
mod validate;

pub(crate) use audit::audit;
pub(crate) use validate::validate;
