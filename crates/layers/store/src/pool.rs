//! Report of `MemoryPool.validate()`: every capsule of a store against its header, its chain and the log (CAP
//! "Validation"; C16: never a yes or no).

use std::path::PathBuf;

use counterfoil_capsule::documents::CapsuleName;
use counterfoil_capsule::{ChainId, IndeterminateReason, Verdict};
use counterfoil_types::{WorldId, words};

use crate::Head;

/// Options of a validation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Validation {
    /// Checks the agent's signature of each capsule and makes the field tree of each content again: nothing is trusted.
    ///
    /// Otherwise the log's signed checkpoint is checked in their place: each entry is made again from its header, the
    /// tree from the entries, and its root is compared with the one that the log signed. Contents, deltas, links and
    /// times are checked as always. This trusts that the holder of the log's key let no entry in without having checked
    /// its signature and its field tree, which this store does. Where the checkpoint does not hold, every signature is
    /// checked after all.
    pub each_signature: bool,
    /// Reports all findings of a capsule, not only the one that decides.
    pub all_findings: bool,
    /// Folder of archive segments, to validate archived capsules as well; `None` leaves them open.
    pub segments: Option<PathBuf>,
}

/// A line of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PoolItem {
    /// A capsule, in the order of the log; those of segments come after all others.
    Capsule(CapsuleVerdict),
    /// The end of a chain, after all capsules.
    Head {
        /// The chain.
        chain: ChainId,
        /// Its last capsule.
        head: Head,
        /// The first of its capsules that is invalid.
        first_bad: Option<u64>,
        /// Number from which on it takes no more, since it forked there and is not resolved.
        frozen_at: Option<u64>,
    },
}

/// Verdict on one capsule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapsuleVerdict {
    /// Its index in the log.
    pub index: u64,
    /// The capsule and its World as header or stub names them; no World for a record, `None` when the header cannot be read.
    pub named: Option<(CapsuleName, Option<WorldId>)>,
    /// The verdict.
    pub verdict: Verdict,
    /// All findings in the order of the checks, if they were asked for.
    pub findings: Vec<Verdict>,
}

/// Verdicts on all capsules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PoolReport {
    /// Number of entries of the log.
    pub entries: u64,
    /// Number of valid capsules.
    pub valid: u64,
    /// Number of invalid capsules.
    pub invalid: u64,
    /// Number of open capsules: erased or archived contents, unknown keys and versions.
    pub indeterminate: u64,
    /// Number of open capsules that are open for nothing but erasures that the log records.
    pub redacted: u64,
    /// Number of chains.
    pub chains: u64,
    /// Number of agents' signatures that were checked.
    pub signatures: u64,
    /// The first invalid capsule of each chain that has one, in the order of the log; at most 1,000.
    pub first_bad: Vec<CapsuleVerdict>,
    /// Difference between the tree over the entries and the one that the log's key signed, or between the journal beside the
    /// log and the rows that it links; `None` if they agree.
    pub log_fault: Option<String>,
    /// Missing items of open capsules, with their counts.
    pub open: Vec<(IndeterminateReason, u64)>,
    /// The names of archive segments that were looked for and are not in the folder.
    pub missing_segments: Vec<String>,
    /// Findings beside the accepted chains. None of them makes a capsule invalid.
    pub aside: PoolAnomalies,
}

/// Findings beside the verdicts: forks, and capsules that were not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoolAnomalies {
    /// Chains with a fork that is not resolved.
    pub open_forks: u64,
    /// Accepted capsules that are contested: forked, abandoned, or signed with a compromised key.
    pub contested: u64,
    /// Capsules that wait for something.
    pub pending: u64,
    /// Documents that were refused.
    pub quarantined: u64,
}

impl PoolAnomalies {
    /// Returns whether there are no findings.
    pub const fn is_empty(&self) -> bool {
        self.open_forks == 0 && self.contested == 0 && self.pending == 0 && self.quarantined == 0
    }
}

words! {
    /// Verdict on a whole report.
    pub enum PoolVerdict {
        /// Every capsule is valid, and the checkpoint agrees with the entries.
        Valid = "valid",
        /// Something is invalid.
        Invalid = "invalid",
        /// Nothing is invalid, and something is open.
        Indeterminate = "indeterminate",
    }
}

impl PoolReport {
    /// Returns whether all open capsules are open for erasures that the log records: no data will close them.
    pub const fn is_open_by_erasure_alone(&self) -> bool {
        self.indeterminate > 0 && self.redacted == self.indeterminate
    }

    /// Returns the verdict.
    pub fn verdict(&self) -> PoolVerdict {
        if self.invalid > 0 || self.log_fault.is_some() {
            PoolVerdict::Invalid
        } else if self.indeterminate > 0 {
            PoolVerdict::Indeterminate
        } else {
            PoolVerdict::Valid
        }
    }
}

/// Takes the lines of a report as they come.
pub type EachItem = Box<dyn FnMut(PoolItem) + Send>;
