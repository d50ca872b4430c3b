//! The ground of a log in an engine that many nodes share (docs/format/ground.md): the contract of its backend.

use counterfoil_store::StoreError;
use counterfoil_types::Sha256Hash;

/// Name of the ground among the destinations of a store. No folder has it, as those are named by their whole paths.
pub(crate) const GROUND: &str = "ground";

/// Place that commits were shipped to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The folder, by its whole path; the address of a shared ground, or `node NAME`.
    pub folder: String,
    /// Folder, or database, of the keys that seal its content; `None` where it is not sealed.
    pub keys: Option<String>,
    /// Reason for which its files may still give content that is erased, and the next step; `None` once the keys are destroyed.
    pub obstacle: Option<String>,
}

/// Head of a log in its ground.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroundHead {
    /// Number of the last commit, from 1.
    pub number: u64,
    /// Random name of that commit, 32 hexadecimal digits.
    pub id: String,
    /// Number of entries.
    pub size: u64,
    /// Root of the log.
    pub root: Sha256Hash,
    /// Signed checkpoint of the log.
    pub checkpoint: String,
}

/// State of a row beside the log, or of an entry that changed after it was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroundRow {
    /// Number of the commit that wrote it last, and its place in there.
    pub at: (u64, u64),
    /// Name of its table; `entry` for an entry.
    pub part: String,
    /// Its key: a canonical JSON array.
    pub key: String,
    /// True for a row that is gone.
    pub gone: bool,
    /// The line of a sealed commit (docs/format/commit.md).
    pub line: String,
}

/// One commit, as it goes into the ground: all of it, or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroundCommit {
    /// The head that it follows; `None` for the first one.
    pub before: Option<GroundHead>,
    /// The head with it.
    pub after: GroundHead,
    /// Entries at the end of the log, each its log index and line, in their order.
    pub entries: Vec<(u64, String)>,
    /// Rows, and entries that changed, which replace those with their keys.
    pub rows: Vec<GroundRow>,
    /// Slots and their wrapped keys, which are new.
    pub keys: Vec<(String, Vec<u8>)>,
    /// Slots whose keys are destroyed, with those below them.
    pub destroyed: Vec<String>,
}

/// Node of a log: a copy of it on one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroundNode {
    /// Its name.
    pub name: String,
    /// True once nothing is left on it of any erased content.
    pub has_confirmed: bool,
    /// Time of its last sign, in microseconds since 1970.
    pub at: u64,
}

/// Slot and wrapped key; `None` where it was destroyed.
pub type WrappedKey = (String, Option<Vec<u8>>);

/// What became of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is in the ground, as durable as its settings say.
    Committed,
    /// Nothing of it is in the ground: the head was another one.
    Moved,
    /// Nobody knows: to be settled before anything else is written.
    Unknown,
}

/// Ground of one log. Implemented by a backend; its functions block, and are called on the thread that writes.
pub trait Ground: Send + Sync {
    /// Begins a transaction that holds the head of the log until it ends: one node writes at a time.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the engine cannot be reached, or another node holds the head for too long.
    fn lock(&self) -> Result<Box<dyn GroundTxn + '_>, StoreError>;

    /// Begins a transaction that reads one state.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the engine cannot be reached.
    fn read(&self) -> Result<Box<dyn GroundTxn + '_>, StoreError>;

    /// Finds out, while it holds the head, whether the commit `number` is the one named `id`, and makes its finding durable
    /// by a commit of its own.
    ///
    /// # Errors
    /// [`StoreError::OutcomeUnknown`] when it cannot be found out now.
    fn settle(&self, number: u64, id: &str) -> Result<bool, StoreError>;

    /// Notes that nothing is left on this node of content that was erased up to the commit `number`.
    ///
    /// # Errors
    /// When it cannot be written.
    fn confirm(&self, number: u64) -> Result<(), StoreError>;

    /// Returns the places that may give erased content: the engine itself, and the nodes but this one. One without an obstacle
    /// gives it no more.
    ///
    /// # Errors
    /// When they cannot be read.
    fn copies(&self) -> Result<Vec<Destination>, StoreError>;

    /// Returns the nodes of the log.
    ///
    /// # Errors
    /// When they cannot be read.
    fn nodes(&self) -> Result<Vec<GroundNode>, StoreError>;
}

/// Transaction in a ground. Dropped, it changes nothing.
pub trait GroundTxn {
    /// Returns the head; `None` while the ground has no such log.
    fn head(&self) -> Option<&GroundHead>;

    /// Tests whether something was erased that this node has not confirmed.
    fn is_erasure_due(&self) -> bool;

    /// Returns the name of a commit; `None` where there is none of that number.
    ///
    /// # Errors
    /// When it cannot be read.
    fn id_of(&mut self, number: u64) -> Result<Option<String>, StoreError>;

    /// Returns log index and line of up to `count` entries from `from` on, in their order.
    ///
    /// # Errors
    /// When they cannot be read.
    fn entries(&mut self, from: u64, count: usize) -> Result<Vec<(u64, String)>, StoreError>;

    /// Returns up to `count` rows behind the place `after`, in the order in which they were written; of one table, where it is
    /// named.
    ///
    /// # Errors
    /// When they cannot be read.
    fn rows(
        &mut self,
        part: Option<&str>,
        after: (u64, u64),
        count: usize,
    ) -> Result<Vec<GroundRow>, StoreError>;

    /// Returns those of `slots` that there are, and perhaps others of the same rows.
    ///
    /// # Errors
    /// When they cannot be read.
    fn keys(&mut self, slots: &[String]) -> Result<Vec<WrappedKey>, StoreError>;

    /// Writes entries at the end of the log, with their keys. Until the commit of this transaction nobody sees them.
    ///
    /// # Errors
    /// When they cannot be written.
    fn add(
        &mut self,
        entries: &[(u64, String)],
        keys: &[(String, Vec<u8>)],
    ) -> Result<(), StoreError>;

    /// Writes a commit and ends the transaction.
    ///
    /// # Errors
    /// When the engine refuses it: nothing of it is there then.
    fn commit(self: Box<Self>, commit: &GroundCommit) -> Result<Outcome, StoreError>;
}
