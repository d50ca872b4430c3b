//! Errors of a store: those of the request, of its place, of stored data and of the code. A failure is never an empty result.

use std::path::PathBuf;
use std::sync::Arc;

use counterfoil_capsule::delta::DeltaError;
use counterfoil_capsule::keys::KeyError;
use counterfoil_capsule::{CapsuleError, ChainId, Code, Timestamp};
use counterfoil_types::{Blake3Hash, BoxError, DidKey, WorldId};

use crate::StoreLocation;
use crate::text_index::{MAX_TERM_BYTES, MAX_TERMS};
use crate::vectors::MAX_VECTORS;

/// Error of a store. [`StoreError::is_callers`] tells those of the request from those of the store.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The WorldId is taken by other content. Nothing of the request was written.
    #[error(
        "the WorldId {world_id} already names other content (log index {index}): \
         give the new content a WorldId of its own"
    )]
    WorldConflict {
        /// The id that is taken.
        world_id: WorldId,
        /// Log index of its first content.
        index: u64,
    },
    /// The chain's head is not the one that the draft expected. Nothing was written.
    #[error(
        "the head of chain {chain} is {}, not {expected}: read the head again and retry",
        actual.map_or_else(|| String::from("absent"), |hash| hash.to_string())
    )]
    HeadMoved {
        /// The chain that was to grow.
        chain: ChainId,
        /// The head that the draft named.
        expected: Blake3Hash,
        /// The head that the store holds, if the chain exists at all.
        actual: Option<Blake3Hash>,
    },
    /// The chain belongs to another agent: an agent extends its own chains only (C15).
    #[error("chain {chain} belongs to another agent: start a chain of your own instead")]
    ForeignChain {
        /// The chain that was to grow.
        chain: ChainId,
    },
    /// The chain has two continuations, and the fork is not resolved (C8).
    #[error(
        "chain {chain} forked at number {at} and takes nothing more until that is resolved: \
         see `counterfoil fork`"
    )]
    ChainForked {
        /// The chain that was to grow.
        chain: ChainId,
        /// The first number at which its branches differ.
        at: u64,
    },
    /// There is nothing to decide there (capsules 4.5).
    #[error(
        "chain {chain} has no undecided fork with a branch that begins with {keep}: \
         see `counterfoil fork list`"
    )]
    NoSuchBranch {
        /// The chain.
        chain: ChainId,
        /// The capsule that was to be kept.
        keep: Blake3Hash,
    },
    /// A restored backup cannot be brought up to the last signed checkpoint. Nothing was changed.
    #[error(
        "the store cannot be reconciled: {detail}: use an export of the whole log of this store"
    )]
    Reconcile {
        /// Obstacle.
        detail: String,
    },
    /// A decision about a fork that is not its owner's to make, or not in its form.
    #[error(
        "the decision about the fork does not hold: {detail}: decide as the operator, or with the recovery key"
    )]
    ForkDecision {
        /// Fault of the decision.
        detail: String,
    },
    /// The signer does not sign with its agent's current key (capsules 4.7).
    #[error(
        "key {used} of {agent} is not its current key in this log, which is number {current}: \
         use the current key"
    )]
    KeyNotCurrent {
        /// The agent.
        agent: DidKey,
        /// The number of the key that would have signed.
        used: u64,
        /// The number of the key that signs now.
        current: u64,
    },
    /// The record does not extend its agent's key chain. Nothing was written.
    #[error("the key chain of {agent} is not extended: {source}")]
    KeyChain {
        /// Agent of the key chain.
        agent: DidKey,
        /// Why.
        source: KeyError,
    },
    /// There is no such version to go on from or back to.
    #[error("there is no World {world_id} in this store: check the id")]
    UnknownWorld {
        /// The World that was named.
        world_id: WorldId,
    },
    /// The chain has no capsule of that number.
    #[error("chain {chain} has no version {seq}: look at its history")]
    UnknownVersion {
        /// The chain.
        chain: ChainId,
        /// The number that was asked for.
        seq: u64,
    },
    /// The content of a version is needed and is erased or archived (capsules 4.3).
    #[error(
        "version {seq} of chain {chain} cannot be restored, as its content is not here: \
         restore it from an archive if it was not erased"
    )]
    RollbackUnavailable {
        /// The chain.
        chain: ChainId,
        /// The number of the version.
        seq: u64,
    },
    /// The change does not fit the content.
    #[error("the change cannot be made: {0}")]
    Change(#[source] DeltaError),
    /// The changed content would be no World.
    #[error("what would come out is no World: {0}")]
    NoWorld(#[source] CapsuleError),
    /// The capsule was moved into an archive segment; its place in the log and in its chain stays.
    #[error(
        "entry {index} is archived in {segment} (its receipt is entry {receipt}): bring it back \
         with `counterfoil restore {segment}`"
    )]
    Archived {
        /// The log index of the capsule.
        index: u64,
        /// The log index of the record that says into which segment it was moved.
        receipt: u64,
        /// The name of the segment's file.
        segment: String,
    },
    /// The content that the next capsule would change is erased.
    #[error("the last content of chain {chain} is erased, so nothing can follow it: start a chain")]
    ContentErased {
        /// The chain that was to grow.
        chain: ChainId,
    },
    /// An archive segment, or its manifest, differs from the archived one. Nothing of it was used.
    #[error("the segment {segment} is refused: {detail}")]
    SegmentRefused {
        /// Its name.
        segment: String,
        /// Difference.
        detail: String,
    },
    /// A commit of another store is not applied. Nothing of it is kept.
    #[error("the commit is refused: {detail}")]
    Commit {
        /// Difference.
        detail: String,
    },
    /// Sealed content, or keys of content, that cannot be used.
    #[error("{subject} cannot be opened: {obstacle}")]
    Sealed {
        /// The content or the file.
        subject: String,
        /// Obstacle, and the next step.
        obstacle: &'static str,
    },
    /// An authority's decision is about something else.
    #[error(
        "the decision is not about {actor} forgetting the World {world_id}: ask the authority \
         for one that is"
    )]
    NotDecided {
        /// World to be forgotten.
        world_id: WorldId,
        /// Agent that asked for it.
        actor: DidKey,
    },
    /// One append held more drafts than a store takes at once.
    #[error("{drafts} drafts in one append are above the limit of {limit}: send them in parts")]
    TooManyDrafts {
        /// Number of drafts.
        drafts: usize,
        /// Limit.
        limit: usize,
    },
    /// One submission held more requests than a store takes at once. Nothing of it was judged.
    #[error(
        "{requests} requests in one submission are above the limit of {limit}: send them in parts"
    )]
    TooManyRequests {
        /// Number of requests.
        requests: usize,
        /// Limit.
        limit: usize,
    },
    /// Somebody else has gone on with this exchange, or there is none of that id.
    #[error("exchange {id}: {what}; look at it with `counterfoil exchange show {id}`")]
    ExchangeConflict {
        /// The id of its request.
        id: String,
        /// Obstacle.
        what: &'static str,
    },
    /// More of an exchange, or of records about others, than is kept. Nothing was written.
    #[error(
        "{what} above the limit of {limit}: nothing of it is kept, so ask for less or for smaller documents"
    )]
    ExchangeLimit {
        /// Name of the limited thing.
        what: &'static str,
        /// Limit.
        limit: u64,
    },
    /// The chain is a claim unit, which begins its chain and ends it (docs/format/claims.md 2). Nothing was written.
    #[error(
        "chain {chain} is a claim, and claims are not changed: end it with `counterfoil claim end`, or say what holds \
         instead with `counterfoil claim add --supersedes`"
    )]
    IsClaim {
        /// The chain.
        chain: ChainId,
    },
    /// A claim was appended like any memory, past the gate. Nothing of the request was written.
    #[error("{claim} is a claim, and those enter through the gate alone: submit it instead")]
    NotSubmitted {
        /// The claim.
        claim: WorldId,
    },
    /// An index or a size lies outside the log.
    #[error("{what} {asked} lies outside the log, which holds {size} entries")]
    OutOfRange {
        /// Name of the number: "index", "size".
        what: &'static str,
        /// The number that was asked for.
        asked: u64,
        /// The size of the log.
        size: u64,
    },
    /// A text query without terms, or with too many.
    #[error("a text query holds 1 to {MAX_TERMS} terms, this one {count}: pass so many words")]
    TermCount {
        /// Number of terms.
        count: usize,
    },
    /// A term of a text query that is empty or overlong.
    #[error(
        "a term or a quoted text is 1 to {MAX_TERM_BYTES} bytes long, this one {bytes}: pass single words, quote less"
    )]
    TermLength {
        /// Its length in bytes.
        bytes: usize,
    },
    /// A search that is bounded by a World that is not here.
    #[error(
        "the World {world_id} is not in this store, so nothing can be recalled as of it: \
         name a World that is, or search without a bound"
    )]
    UnknownBound {
        /// The World that was named.
        world_id: WorldId,
    },
    /// Vectors of another model than that of the vectors that are kept: they can't be compared. Nothing was written.
    #[error(
        "the vectors of this store are of the model {kept}, these of {given}: use that model, or make all vectors anew with \
         `counterfoil embed --migrate`"
    )]
    OtherModel {
        /// Fingerprint of the model of the vectors that are kept.
        kept: String,
        /// Fingerprint of the other model.
        given: String,
    },
    /// A vector that is none of its model. Nothing was written.
    #[error(
        "a vector of the model {model} has {dimensions} finite numbers, not all of them 0, and this one has {found} numbers: \
         check the encoder"
    )]
    VectorForm {
        /// Fingerprint of the model.
        model: String,
        /// Its number of dimensions.
        dimensions: usize,
        /// Number of elements of the vector.
        found: usize,
    },
    /// One batch held more vectors than a store takes at once.
    #[error(
        "{vectors} vectors in one batch are above the limit of {MAX_VECTORS}: add them in parts"
    )]
    TooManyVectors {
        /// Number of vectors.
        vectors: usize,
    },
    /// The draft cannot be sealed as it is. Nothing of the request was written.
    #[error("{subject} cannot be sealed: {source}")]
    Seal {
        /// The World or the kind of record that was drafted.
        subject: String,
        /// Fault of the draft.
        source: CapsuleError,
    },
    /// A name that cannot stand in a checkpoint.
    #[error(
        "{name:?} cannot name a log: use a non-empty name without spaces, plus signs \
         and control characters"
    )]
    LogName {
        /// The name that was given.
        name: String,
    },

    /// Another process or thread holds the store.
    #[error(
        "the store is locked by another process{}: wait until it is done, or end it",
        path.as_ref().map_or_else(String::new, |path| format!(" ({})", path.display()))
    )]
    Locked {
        /// The file that is held, where known.
        path: Option<PathBuf>,
    },
    /// The store may be read but not written.
    #[error("the store cannot be written: {reason}")]
    ReadOnly {
        /// Reason, and the next step.
        reason: String,
    },
    /// There is no room left. Acknowledged writes stay; the request was not written.
    #[error("the disk (or the database's page limit) is full: free some room and retry")]
    DiskFull,
    /// The store was written by a later version.
    #[error(
        "the store has schema version {found} and this program knows {known}: \
         update counterfoil"
    )]
    NewerSchema {
        /// The version that was found.
        found: u64,
        /// The newest version that is known here.
        known: u64,
    },
    /// The file is something else.
    #[error("{} is not a Counterfoil store: check the path", path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
    },
    /// There is no store at the place.
    #[error("there is no store at {}: make one with `counterfoil init`", path.display())]
    Missing {
        /// The place.
        path: PathBuf,
    },
    /// There is a store already; nothing is overwritten.
    #[error("{} exists already and is not overwritten: choose another place", path.display())]
    AlreadyExists {
        /// The place.
        path: PathBuf,
    },
    /// The storage library has a known fault.
    #[error(
        "the storage library {found} is older than {needed}, which repairs a fault that \
         damages databases: build with the bundled library"
    )]
    UnsafeLibrary {
        /// The version that is linked.
        found: String,
        /// The oldest version that is safe.
        needed: String,
    },
    /// The clock shows a time at which nothing may be recorded (capsules 4.4).
    #[error("nothing can be recorded now: {0}")]
    ClockImplausible(#[source] CapsuleError),
    /// The clock is farther ahead of the last entry than it may be without a person's word.
    #[error(
        "nothing was recorded: the clock says {now}, {} days after the last entry ({last}), and all that follows would be \
         dated after it: set the clock, or, if it is right, accept it with one write on the command line, such as \
         `counterfoil remember TEXT --accept-clock`",
        now.micros().saturating_sub(last.micros()) / 86_400_000_000
    )]
    ClockLeap {
        /// Time by the clock.
        now: Timestamp,
        /// Time of the last entry.
        last: Timestamp,
    },
    /// The key is not the one that the log was made with.
    #[error(
        "the log is signed by {stored} and not by {given}: use the key that belongs to this store"
    )]
    WrongLogKey {
        /// The verifier key in the store.
        stored: String,
        /// The verifier key that was given.
        given: String,
    },
    /// The store does not continue a checkpoint that a place outside of it holds: it was put back to an earlier state.
    #[error("{detail}")]
    Behind {
        /// Place, difference, and the next step.
        detail: String,
    },
    /// The last checkpoint that was signed here does not fit the store: it may be a restored backup,
    /// and to write into it would sign a second history.
    #[error("{detail}")]
    GuardMismatch {
        /// Difference, and the next step.
        detail: String,
    },
    /// The commit failed in a way that leaves open whether it is on disk.
    #[error(
        "the disk failed while the entries were committed and it is not known whether they are \
         kept: open the store again and repeat the same append, which adds nothing twice; \
         what became of a claim is told by the key of its request"
    )]
    OutcomeUnknown,
    /// The entries are on disk, but the guard could not be written, so they are not acknowledged.
    #[error(
        "the entries are kept, but the last checkpoint could not be written beside the keys \
         ({detail}): repair that and repeat the same append, which adds nothing twice; what \
         became of a claim is told by the key of its request"
    )]
    NotAcknowledged {
        /// Fault of the write.
        detail: String,
    },
    /// The shared ground of the log has not confirmed the entries.
    #[error(
        "the shared ground has not confirmed the entries ({detail}): repeat the same append, which adds nothing twice; what \
         became of a claim is told by the key of its request"
    )]
    NotConfirmed {
        /// What is known of them.
        detail: String,
    },
    /// The writer ended after an error of the disk and takes no more.
    #[error("the writer has stopped after an earlier error of the disk: open the store again")]
    WriterStopped,
    /// The source of randomness gave nothing.
    #[error("the system gives no random bytes: {detail}")]
    NoRandomness {
        /// Message of the system.
        detail: String,
    },
    /// A store of the application's own failed (MR-02).
    #[error("{0}")]
    Application(#[source] Arc<dyn core::error::Error + Send + Sync>),
    /// The operating system or the storage library reported a fault that has no name of its own.
    #[error("the store cannot be reached while {doing}: {detail}")]
    Unavailable {
        /// Operation that failed.
        doing: &'static str,
        /// Message of the library.
        detail: String,
    },

    /// Stored data differs from the written data.
    #[error("the store is damaged at {place}: {detail}: run `counterfoil check`, then restore")]
    Corrupt {
        /// Where.
        place: StoreLocation,
        /// Expectation that failed.
        detail: String,
    },

    /// Stored data that is not handed out: it does not match its hash, its signature or its place in the log.
    #[error(
        "{id} is withheld ({code}), as it is not what was sealed: run `counterfoil check`, then restore it; \
         --unsafe shows what is there"
    )]
    Withheld {
        /// Id of the memory; `entry N` for a record, and where the id is unknown.
        id: String,
        /// Check that failed.
        code: Code,
    },
    /// A row of an index is not as it was written, or one is missing. What it stands for is in the log.
    #[error(
        "the index of the store is damaged ({table}): nothing is answered from it until \
         `counterfoil rebuild` has made it anew"
    )]
    IndexDamaged {
        /// Table.
        table: &'static str,
    },

    /// A state that the code rules out.
    #[error("a fault in counterfoil ({0}): please report it")]
    Bug(&'static str),
}

impl From<BoxError> for StoreError {
    /// The error of one of this project's stores as it is, or that of an application's own.
    fn from(error: BoxError) -> Self {
        match error.downcast() {
            Ok(error) => *error,
            Err(error) => Self::Application(error.into()),
        }
    }
}

impl StoreError {
    /// Returns the error for stored data at `place` that differs from the written data.
    pub fn corrupt(place: StoreLocation, detail: impl core::fmt::Display) -> Self {
        Self::Corrupt {
            place,
            detail: detail.to_string(),
        }
    }

    /// Takes what a read gives, and nothing for what is withheld.
    ///
    /// # Errors
    /// All others of the read.
    pub fn skip_withheld<T: Default>(read: Result<T, Self>) -> Result<T, Self> {
        match read {
            Err(Self::Withheld { .. }) => Ok(T::default()),
            read => read,
        }
    }

    /// Returns true if the caller asked for something that cannot be: ask differently. Otherwise the place of the store has
    /// to be repaired, its data restored ([`Self::Corrupt`]), or a bug reported ([`Self::Bug`]).
    pub const fn is_callers(&self) -> bool {
        matches!(
            self,
            Self::WorldConflict { .. }
                | Self::HeadMoved { .. }
                | Self::ForeignChain { .. }
                | Self::ContentErased { .. }
                | Self::ChainForked { .. }
                | Self::NoSuchBranch { .. }
                | Self::ForkDecision { .. }
                | Self::Reconcile { .. }
                | Self::KeyNotCurrent { .. }
                | Self::KeyChain { .. }
                | Self::UnknownWorld { .. }
                | Self::UnknownVersion { .. }
                | Self::RollbackUnavailable { .. }
                | Self::Change(_)
                | Self::NoWorld(_)
                | Self::Archived { .. }
                | Self::SegmentRefused { .. }
                | Self::Commit { .. }
                | Self::Sealed { .. }
                | Self::NotDecided { .. }
                | Self::TooManyDrafts { .. }
                | Self::TooManyRequests { .. }
                | Self::ExchangeConflict { .. }
                | Self::ExchangeLimit { .. }
                | Self::IsClaim { .. }
                | Self::NotSubmitted { .. }
                | Self::OutOfRange { .. }
                | Self::TermCount { .. }
                | Self::TermLength { .. }
                | Self::UnknownBound { .. }
                | Self::OtherModel { .. }
                | Self::VectorForm { .. }
                | Self::TooManyVectors { .. }
                | Self::Seal { .. }
                | Self::LogName { .. }
                | Self::WrongLogKey { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_of_the_request_or_of_the_store() {
        let world_id = WorldId::new("w").unwrap();
        for (error, is_callers) in [
            (StoreError::WorldConflict { world_id, index: 1 }, true),
            (StoreError::DiskFull, false),
            (StoreError::corrupt(StoreLocation::table("log"), "x"), false),
            (StoreError::Bug("x"), false),
        ] {
            assert_eq!(error.is_callers(), is_callers, "{error}");
        }
    }
}
