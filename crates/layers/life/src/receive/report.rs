//! Results of receiving.

use counterfoil_types::Blake3Hash;

/// Result of receiving a line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineReport {
    /// Valid, and in the log now.
    Accepted,
    /// Known from before.
    AlreadyThere,
    /// Waiting for something: `missing_parent`, `missing_key`, `future_timestamp`, ….
    Pending {
        /// Code of the missing thing.
        code: &'static str,
    },
    /// Refused, and in quarantine.
    Refused {
        /// The check that failed.
        check: String,
        /// The code of the failure.
        code: String,
    },
    /// Its agent signed another capsule for the same place. Both are kept.
    Forked,
    /// Continuation of a branch beside the chain, kept there.
    Branch,
    /// Without room: it would have to wait, or to be kept for evidence.
    NoRoom {
        /// Code of the missing thing, or of the failure.
        code: String,
    },
}

/// Result of receiving several lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReceiveReport {
    /// For each line its number, its outcome, and the hash of the capsule where there is one.
    pub outcomes: Vec<(u64, LineReport, Option<Blake3Hash>)>,
    /// Capsules that had waited and are kept now: accepted, or beside their chain.
    pub settled: Vec<Blake3Hash>,
    /// Capsules that had waited and are refused now, with the code of the failure.
    pub refused: Vec<(Blake3Hash, String)>,
    /// True if some that wait can be judged by now: call [`Life::settle`](crate::Life::settle).
    pub more: bool,
}
