//! One pass over all entries of the log in one snapshot, and two views of it: [`validate`] judges capsules
//! (CAP "Validation"; C16, 4.5), [`audit`] compares tables (F6: no column that can change an answer is left out).
//!
//! ```text
//! calling thread   reads entries, links chains, makes the tree, hands on verdicts: it alone has the transaction
//! workers          parse headers, make entries and leaves, hash bodies, check signatures; make contents, chain by chain
//! ```

mod audit;
mod beside;
mod contents;
mod examine;
mod head;
mod known;
mod links;
mod pass;
mod segments;
mod validate;

use counterfoil_capsule::Verdict;

pub use audit::AuditReport;
pub(crate) use audit::audit;
pub(crate) use validate::validate;

/// Tests whether a finding says no more than that a record in the log erased a content.
fn is_erased(verdict: &Verdict) -> bool {
    [known::ERASED, known::DELTA_ERASED, known::TARGET_ERASED].contains(verdict)
}

/// Tests whether a finding is intended: a content that was erased, or that is in a segment.
fn is_meant(verdict: &Verdict) -> bool {
    is_erased(verdict) || [Verdict::Valid, links::ARCHIVED].contains(verdict)
}
