//! Contradictions that were seen here: written once, counted after that, never changed (capsules 4.8).
//!
//! An event is a local observation and no part of the log. It blames an agent only when its evidence
//! verifies with that agent's keys, which are read here and nowhere told by a caller; otherwise it
//! names who sent it.

mod read;
mod write;

pub use read::EventRow;
pub use write::ObserveReport;

pub(crate) use write::Observer;
