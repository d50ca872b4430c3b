//! `MemoryPool::validate()`: every capsule of a store against its header, its chain and the log (CAP
//! "Validation"; C16: a report, never a yes or no).

use std::path::PathBuf;

use async_trait::async_trait;
use counterfoil_capsule::{ChainId, IndeterminateReason, Verdict};
use counterfoil_types::{Blake3Hash, DidKey, WorldId};

use crate::StoreError;

/// How signatures are dealt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Signatures {
    /// The agent's signature of each capsule is checked, and the field tree of each content is made
    /// again. Nothing is trusted.
    Each,
    /// The log's signed checkpoint stands for them: each entry is made again from its header, the
    /// tree from the entries, and its root is compared with the one that the log signed. Contents,
    /// deltas, links and times are checked as always.
    ///
    /// This trusts that whoever holds the log's key let no entry in without having checked its
    /// signature and its field tree, which this store does. Where the checkpoint does not hold, every
    /// signature is checked after all.
    #[default]
    Checkpoint,
}

/// Which findings of a capsule are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Findings {
    /// The one that decides.
    #[default]
    First,
    /// All of them.
    All,
}

/// What is validated, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Validation {
    /// How signatures are dealt with.
    pub signatures: Signatures,
    /// Which findings are told.
    pub findings: Findings,
    /// The folder of archive segments, to validate what was moved there as well; `None` leaves it open.
    pub segments: Option<PathBuf>,
}

/// A line of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PoolItem {
    /// A capsule, in the order of the log; those of segments come after all others.
    Capsule(CapsuleVerdict),
    /// The end of a chain, after all capsules.
    Head(ChainHead),
}

/// What is said of one capsule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapsuleVerdict {
    /// Its index in the log.
    pub index: u64,
    /// What it is; `None` when its header cannot be read.
    pub named: Option<CapsuleIdentity>,
    /// The verdict.
    pub verdict: Verdict,
    /// All findings in the order of the checks, if they were asked for.
    pub findings: Vec<Verdict>,
}

/// What a capsule is, by its header or its stub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapsuleIdentity {
    /// Who wrote it.
    pub agent: DidKey,
    /// Its chain.
    pub chain: ChainId,
    /// Its number in the chain.
    pub seq: u64,
    /// Its hash.
    pub capsule: Blake3Hash,
    /// Its World; `None` for a record.
    pub world: Option<WorldId>,
}

/// The end of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainHead {
    /// Who writes it.
    pub agent: DidKey,
    /// The chain.
    pub chain: ChainId,
    /// The number of its last capsule.
    pub seq: u64,
    /// The hash of its last capsule.
    pub capsule: Blake3Hash,
    /// The log index of its last capsule.
    pub index: u64,
    /// The first of its capsules that is invalid.
    pub first_bad: Option<u64>,
    /// From which number on it takes no more, since it forked there and nobody has decided.
    pub frozen_at: Option<u64>,
}

/// Whether the log stands for its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogState {
    /// The tree over the entries is the one that the log's key signed.
    Holds,
    /// It is not.
    Differs {
        /// In what.
        detail: String,
    },
}

/// What is said of all capsules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolReport {
    /// How many entries the log has.
    pub entries: u64,
    /// How many are valid.
    pub valid: u64,
    /// How many are invalid.
    pub invalid: u64,
    /// How many are open: erased or archived contents, unknown keys and versions.
    pub indeterminate: u64,
    /// How many of the open ones are open for nothing but erasures that the log records.
    pub redacted: u64,
    /// How many chains there are.
    pub chains: u64,
    /// How many signatures of agents were checked.
    pub signatures: u64,
    /// The first invalid capsule of each chain that has one, in the order of the log; at most 1,000.
    pub first_bad: Vec<CapsuleVerdict>,
    /// Whether the log stands for its entries.
    pub log: LogState,
    /// What is missing where something is open, and how often.
    pub open: Vec<(IndeterminateReason, u64)>,
    /// The names of archive segments that were looked for and are not in the folder.
    pub missing_segments: Vec<String>,
    /// What is beside the accepted chains. None of it makes a capsule invalid.
    pub aside: PoolAnomalies,
}

/// What a store holds that its verdicts say nothing of: forks, and what was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoolAnomalies {
    /// Chains with a fork that nobody has decided.
    pub open_forks: u64,
    /// Accepted capsules that are contested: forked, abandoned, or signed with a compromised key.
    pub contested: u64,
    /// Capsules that wait for something.
    pub pending: u64,
    /// Documents that were refused.
    pub quarantined: u64,
}

impl PoolAnomalies {
    /// Whether there is nothing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.open_forks == 0 && self.contested == 0 && self.pending == 0 && self.quarantined == 0
    }
}

/// What follows from a whole report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolVerdict {
    /// Every capsule is valid, and the log stands for them.
    Valid,
    /// Something is invalid.
    Invalid,
    /// Nothing is invalid, and something is open.
    Indeterminate,
}

impl PoolReport {
    /// Whether all that is open is open for erasures that the log records: no data will close it.
    #[must_use]
    pub const fn is_open_by_erasure_alone(&self) -> bool {
        self.indeterminate > 0 && self.redacted == self.indeterminate
    }

    /// What follows from it.
    #[must_use]
    pub fn verdict(&self) -> PoolVerdict {
        if self.invalid > 0 || self.log != LogState::Holds {
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

/// The capsules of a store, taken together.
#[async_trait]
pub trait MemoryPool {
    /// Validates every capsule: header, signature or log, place in its chain, contents and deltas.
    /// `each` is called once for each capsule and each chain.
    ///
    /// It says nothing about capsules that are missing at the end of the log (C44): that takes a
    /// checkpoint from elsewhere, such as the floor of an authority.
    ///
    /// # Errors
    /// When the store cannot be read at all; damage is in the report.
    async fn validate(&self, how: Validation, each: EachItem) -> Result<PoolReport, StoreError>;
}
