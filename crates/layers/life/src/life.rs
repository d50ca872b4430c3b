//! The operations on a memory's life, for every backend.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use counterfoil_capsule::documents::{
    ApprovedForgetting, ContradictionKind, Observation, Redaction, Tombstone,
};
use counterfoil_capsule::keys::KeyHistory;
use counterfoil_capsule::{ChainId, Equivocation, FeedCheck, Header, Signer, Timestamp};
use counterfoil_store::collect::{Fate, HeldCapsule};
use counterfoil_store::log::{Tile, export, write_below};
use counterfoil_store::pool::{EachItem, PoolAnomalies, PoolReport, Validation};
use counterfoil_store::text_index::Contest;
use counterfoil_store::{StoreError, StoredCapsule};
use counterfoil_types::json::Value;
use counterfoil_types::{Blake3Hash, DidKey, Sha256Hash, WorldId};

use crate::archive::{self, SegmentReport};
use crate::aside::{aside, unlisted};
use crate::backend::Backend;
use crate::check;
use crate::entries::{self, Sides, index_of};
use crate::erase::{self, Certificate, DerivedMemory, DerivedPolicy, ErasureScope};
use crate::events::{self, Observer};
use crate::export::{self, Feed, Selection};
use crate::fork_records;
use crate::forks::{self, Fork, ResolveReport};
use crate::index::EachStep;
use crate::keys::key_chain;
use crate::port::Select;
use crate::port::rows::WorldRow;
use crate::receive::{self, ReceiveContext, ReceiveReport};
use crate::report::AuditReport;
use crate::resolve::resolve;
use crate::{collect, forget, index, journal};

/// Operations on the memories of a store beyond appending and reading. Each fails when the store cannot be read, and one
/// that changes something when it cannot be written; further errors are named at the operation.
pub trait Life: Backend + Sized {
    /// Returns the history of the keys of `agent`, of which every proof was checked; `None` when it has none and signs with
    /// the key that it is named after.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when a record is damaged or does not follow the one before it.
    fn key_history(
        &self,
        agent: DidKey,
    ) -> impl Future<Output = Result<Option<KeyHistory>, StoreError>> + Send {
        self.read(move |txn| Ok(key_chain(Sides::both(txn), &agent)?.map(|chain| chain.history)))
    }

    /// Returns the records of the key chain of `agent`, in its order.
    ///
    /// # Errors
    /// As [`Life::key_history`].
    fn key_records(
        &self,
        agent: DidKey,
    ) -> impl Future<Output = Result<Vec<StoredCapsule>, StoreError>> + Send {
        self.read(move |txn| {
            let chain = key_chain(Sides::both(txn), &agent)?;
            Ok(chain.map_or_else(Vec::new, |chain| chain.records))
        })
    }

    /// Returns the verifier key (C2SP vkey) under which the log was made.
    fn verifier_key(&self) -> impl Future<Output = Result<String, StoreError>> + Send {
        self.read(|txn| txn.verifier_key())
    }

    /// Writes the log as static files (C2SP tlog-tiles) into `folder`, and returns its size.
    ///
    /// # Errors
    /// When the store cannot be read or the folder not written.
    fn export_tiles(
        &self,
        folder: impl AsRef<Path>,
    ) -> impl Future<Output = Result<u64, StoreError>> + Send {
        let folder = folder.as_ref().to_path_buf();
        self.read(move |txn| {
            let (size, checkpoint) = txn.head()?;
            let mut put = |path: &str, bytes: &[u8]| write_below(&folder, path, bytes);
            let entry = |index| entries::entry_text(txn, index);
            export(txn, &entry, (size, &checkpoint), &mut put)?;
            Ok(size)
        })
    }

    /// Returns one tile of the log (C2SP tlog-tiles), as [`export_tiles`](Self::export_tiles) writes it; `None` where the
    /// log does not reach to its end.
    fn tile(&self, tile: Tile) -> impl Future<Output = Result<Option<Vec<u8>>, StoreError>> + Send {
        self.read(move |txn| {
            let (size, _) = txn.head()?;
            tile.read(size, txn, &|index| entries::entry_text(txn, index))
        })
    }

    /// Returns the link of the last of the first `rows` rows of the journal; `None` when there are fewer.
    fn journal_link(
        &self,
        rows: u64,
    ) -> impl Future<Output = Result<Option<Blake3Hash>, StoreError>> + Send {
        self.read(move |txn| journal::link_at(txn, rows))
    }

    /// Throws the index away and derives it again from the log. Returns the number of entries that it covers, its digest
    /// before, where it could be computed, and its digest now: the same unless something was damaged.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when an entry cannot be read: nothing is changed then.
    fn rebuild(
        &self,
    ) -> impl Future<Output = Result<(u64, Option<Sha256Hash>, Sha256Hash), StoreError>> + Send
    {
        self.rebuild_with(Box::new(|_, _| ()))
    }

    /// The same; `each` gets the number of entries that are derived, and that of all.
    ///
    /// # Errors
    /// As [`Life::rebuild`].
    fn rebuild_with(
        &self,
        mut each: Box<EachStep>,
    ) -> impl Future<Output = Result<(u64, Option<Sha256Hash>, Sha256Hash), StoreError>> + Send
    {
        self.write(move |unit| index::rebuild(unit.txn(), &mut *each))
    }

    /// Validates every capsule: header, signature or log, place in its chain, content and delta (CAP "Validation").
    /// `each` is called once for each capsule and each chain.
    ///
    /// Capsules that are missing at the end of the log are not noticed (C44): that takes a checkpoint from elsewhere,
    /// such as the floor of an authority.
    ///
    /// # Errors
    /// When the store cannot be read at all; damage is in the report.
    fn validate(
        &self,
        how: Validation,
        each: EachItem,
    ) -> impl Future<Output = Result<PoolReport, StoreError>> + Send {
        let log_key = self.log_key();
        self.read(move |txn| check::validate(txn, log_key.as_deref(), &how, each))
    }

    /// Compares all stored data with the signatures, and the index with the ground. A clean report says that no column of
    /// any table differs.
    ///
    /// # Errors
    /// When the store cannot be read at all. Damage is not an error but a difference.
    fn audit(&self) -> impl Future<Output = Result<AuditReport, StoreError>> + Send {
        self.audit_with(false, Box::new(|_, _| ()))
    }

    /// Audits as [`Life::audit`] does, or with `deep` as [`Life::audit_deep`]; `each` gets the number of entries that are compared, and that
    /// of all.
    ///
    /// # Errors
    /// As [`Life::audit`].
    fn audit_with(
        &self,
        deep: bool,
        mut each: Box<EachStep>,
    ) -> impl Future<Output = Result<AuditReport, StoreError>> + Send {
        let log_key = self.log_key();
        self.read(move |txn| check::audit(txn, log_key.as_deref(), deep, &mut *each))
    }

    /// Audits as [`Life::audit`] does, and makes the proofs: each entry's inclusion, and the consistency of the present log with
    /// each earlier size that is a power of two, verified as an authority does.
    fn audit_deep(&self) -> impl Future<Output = Result<AuditReport, StoreError>> + Send {
        self.audit_with(true, Box::new(|_, _| ()))
    }

    /// Returns the numbers of forks, contested and unaccepted capsules beside the accepted chains.
    fn aside(&self) -> impl Future<Output = Result<PoolAnomalies, StoreError>> + Send {
        self.read(aside)
    }

    /// Returns the first entry that another agent than `own` signed and that is not listed as received, and the number of
    /// such entries. A store that one agent writes has none: such a row was taken away by hand.
    fn unlisted(
        &self,
        own: DidKey,
    ) -> impl Future<Output = Result<Option<(u64, u64)>, StoreError>> + Send {
        self.read(move |txn| unlisted(txn, &own))
    }

    /// Returns a digest over the index: equal before and after [`Life::rebuild`].
    fn derived_digest(&self) -> impl Future<Output = Result<Sha256Hash, StoreError>> + Send {
        self.read(|txn| txn.index_digest())
    }

    /// Erases the content of a memory, of one version of an evolving one: payload, salt, its delta, and the delta of the
    /// version after it, which holds the previous content. The header, its place in the log and every proof
    /// stay. `signer` appends the redaction with the reason, which is for people, is kept for ever, and so must not
    /// repeat the erased content. To erase twice changes nothing and gives the certificate again; it is also how to make
    /// up for bytes that could not be cleaned ([`Certificate::not_scrubbed`]). Memories that were made from it stay.
    ///
    /// `None` when there is no such memory. What did not change stays in the other versions. Copies that others made are
    /// not reached.
    ///
    /// # Errors
    /// [`StoreError::Archived`] when it has to be restored first, [`StoreError::Seal`] for a reason
    /// that cannot be written.
    fn erase(
        &self,
        signer: Arc<dyn Signer>,
        world_id: &WorldId,
        reason: &str,
    ) -> impl Future<Output = Result<Option<Certificate>, StoreError>> + Send {
        let (world_id, reason) = (world_id.clone(), reason.to_owned());
        let scope = ErasureScope {
            all_versions: false,
            derived: DerivedPolicy::Keep,
        };
        erase::run(self, signer, world_id, reason, scope)
    }

    /// Erases all of `scope`, as [`Life::erase`] does. Memories that were made from the erased ones are taken with them or
    /// named in the certificate: derivations, with their later versions; claims that cite them or follow from such claims;
    /// and assertions about these. Transitively.
    ///
    /// # Errors
    /// As [`Life::erase`], for each memory that is taken.
    fn erase_scope(
        &self,
        signer: Arc<dyn Signer>,
        world_id: &WorldId,
        reason: &str,
        scope: ErasureScope,
    ) -> impl Future<Output = Result<Option<Certificate>, StoreError>> + Send {
        let (world_id, reason) = (world_id.clone(), reason.to_owned());
        erase::run(self, signer, world_id, reason, scope)
    }

    /// Returns the memories that were made from a memory, or from any version of it, and have content: those that
    /// [`Life::erase_scope`] takes or keeps. `None` when there is no such memory.
    fn derived(
        &self,
        world_id: &WorldId,
        all_versions: bool,
    ) -> impl Future<Output = Result<Option<Vec<DerivedMemory>>, StoreError>> + Send {
        let world_id = world_id.clone();
        self.read(move |txn| erase::derived(txn, &world_id, all_versions))
    }

    /// Returns the redaction of a memory's content, with its log index and header; `None` when it is not erased, or not
    /// there.
    fn redaction(
        &self,
        world_id: &WorldId,
    ) -> impl Future<Output = Result<Option<(u64, Header, Redaction)>, StoreError>> + Send {
        let world_id = world_id.clone();
        self.read(move |txn| match index_of(txn, &world_id)? {
            Some(index) => erase::redaction_of(txn, index),
            None => Ok(None),
        })
    }

    /// Forgets a memory, with all its versions: a tombstone of the signer's agent is appended with the reason, which is for
    /// people and kept for ever, and no selection of that agent gives it any more, after a rebuild, an import or a restore
    /// either. With the decision of an authority no selection of any agent does. It can still be fetched by its id.
    /// To repeat it writes nothing. Returns the tombstone with its log index and header, and true if this call wrote it;
    /// `None` when there is no such memory.
    ///
    /// # Errors
    /// [`StoreError::NotDecided`] when the decision is about another memory or actor,
    /// [`StoreError::Seal`] for a reason that cannot be written.
    #[expect(
        clippy::type_complexity,
        reason = "a record is read as its index, header and content"
    )]
    fn forget(
        &self,
        signer: Arc<dyn Signer>,
        world_id: &WorldId,
        decision: Option<Box<ApprovedForgetting>>,
        reason: &str,
    ) -> impl Future<Output = Result<Option<((u64, Header, Tombstone), bool)>, StoreError>> + Send
    {
        let (world_id, reason) = (world_id.clone(), reason.to_owned());
        self.write(move |unit| {
            forget::forget(unit, &*signer, &world_id, decision.as_deref(), &reason)
        })
    }

    /// Returns all tombstones that count, in the order of the log, or those of one memory, each with its log index and
    /// header.
    fn tombstones(
        &self,
        world_id: Option<&WorldId>,
    ) -> impl Future<Output = Result<Vec<(u64, Header, Tombstone)>, StoreError>> + Send {
        let world_id = world_id.cloned();
        self.read(move |txn| forget::tombstones(txn, world_id))
    }

    /// Returns the memories whose id begins with `prefix`, in the order of the log.
    fn named(
        &self,
        prefix: &'static str,
    ) -> impl Future<Output = Result<Vec<WorldId>, StoreError>> + Send {
        let select = Select::of::<WorldRow>().beginning("id", prefix);
        self.read(move |txn| txn.column(select, &["id"]))
    }

    /// Returns all forks that were seen, by chain.
    fn forks(&self) -> impl Future<Output = Result<Vec<Fork>, StoreError>> + Send {
        self.read(forks::read::forks)
    }

    /// Returns the forks of one chain, by number.
    fn forks_of(
        &self,
        chain: ChainId,
    ) -> impl Future<Output = Result<Vec<Fork>, StoreError>> + Send {
        self.read(move |txn| forks::read::forks_of(txn, &chain))
    }

    /// Returns two signed headers for one place: the first fork of the chain, proven for everyone. `None` when it has none.
    fn fork_proof(
        &self,
        chain: ChainId,
    ) -> impl Future<Output = Result<Option<Equivocation>, StoreError>> + Send {
        self.read(move |txn| forks::read::proof(txn, &chain))
    }

    /// Returns the reason why the capsule at `index` is contested; `None` when it is not.
    fn contested(
        &self,
        index: u64,
    ) -> impl Future<Output = Result<Option<Contest>, StoreError>> + Send {
        self.read(move |txn| forks::contested(txn, index))
    }

    /// Returns events after the one numbered `after` (0: from the first), of one `kind` or of all, in the order in which
    /// they were written down, at most 10,000 at once. Of each its number, from 1; the number of sightings; and its
    /// document (`docs/format/events.md`).
    fn events(
        &self,
        after: u64,
        kind: Option<ContradictionKind>,
    ) -> impl Future<Output = Result<Vec<(u64, u64, Value)>, StoreError>> + Send {
        self.read(move |txn| events::list(txn, after, kind))
    }

    /// Writes a contradiction down, unless it is known already: then it is counted. Its evidence and the keys that this
    /// log has decide about the agent that it blames. Logs a new one with `tracing`. None is made of a contradiction
    /// about an event, and an event that one source causes too often is counted in a summary.
    fn observe(
        &self,
        detector: DidKey,
        seen: Observation,
    ) -> impl Future<Output = Result<(), StoreError>> + Send {
        self.write(move |unit| {
            let observer = Observer {
                detector,
                now_micros: unit.now_micros(),
                entropy: unit.entropy(),
            };
            observer.write(unit.txn(), seen)
        })
    }

    /// Keeps the branch of `chain` that begins with `keep`, and lets the chain go on from its end.
    /// `signer` signs the record, as the agent of this store. With the recovery key of the chain's owner the decision
    /// holds wherever the record arrives; without it, for this store alone.
    ///
    /// # Errors
    /// [`StoreError::NoSuchBranch`] unless the chain has an undecided fork with that branch; [`StoreError::Seal`] for a
    /// reason that cannot be written, and for a key that is not the recovery key of the chain's owner.
    fn resolve_fork(
        &self,
        signer: Arc<dyn Signer>,
        (chain, keep): (ChainId, Blake3Hash),
        recovery: Option<Arc<dyn Signer>>,
        reason: &str,
    ) -> impl Future<Output = Result<ResolveReport, StoreError>> + Send {
        let reason = reason.to_owned();
        self.write(move |unit| resolve(unit, &*signer, (chain, keep), recovery.as_deref(), &reason))
    }

    /// Returns the number of chains with an undecided fork that the log does not have yet: its map says that they are current.
    fn unrecorded_forks(&self) -> impl Future<Output = Result<usize, StoreError>> + Send {
        self.read(|txn| Ok(fork_records::unrecorded(txn)?.len()))
    }

    /// Appends a record, `contradiction`, for the first undecided fork of each chain that the log does not have yet, so that its map
    /// says that the memories of the chain from there on are forked. Returns the number of records; to repeat it writes nothing.
    /// `signer` is the agent of this store: records of others count for their own chains alone.
    fn record_forks(
        &self,
        signer: Arc<dyn Signer>,
    ) -> impl Future<Output = Result<u64, StoreError>> + Send {
        self.write(move |unit| fork_records::record(unit, &*signer))
    }

    /// Takes capsules that were sealed elsewhere, in one transaction. `detector` is the agent that detects
    /// contradictions; `source` names the origin of the capsules. Each line has its number in the file and its bytes,
    /// without its line feed; the report has the result of each. To take the same lines again changes nothing.
    ///
    /// # Errors
    /// When the store cannot be written. A bad line is no error.
    fn import_capsules(
        &self,
        detector: DidKey,
        source: &str,
        lines: Vec<(u64, Vec<u8>)>,
    ) -> impl Future<Output = Result<ReceiveReport, StoreError>> + Send {
        let receiving = ReceiveContext::from(detector, source);
        self.write(move |unit| receive::import(unit, receiving, &lines))
    }

    /// Judges waiting capsules again, where the verdict may be another by now. To be repeated while the report says
    /// that there are more.
    fn settle(
        &self,
        detector: DidKey,
        source: &str,
    ) -> impl Future<Output = Result<ReceiveReport, StoreError>> + Send {
        let receiving = ReceiveContext::from(detector, source);
        self.write(move |unit| receive::settle(unit, receiving))
    }

    /// Returns the log indices of `selection` as of this moment, in their order.
    fn export_plan(
        &self,
        selection: Selection,
    ) -> impl Future<Output = Result<Vec<u64>, StoreError>> + Send {
        self.read(move |txn| export::plan(txn, selection))
    }

    /// Returns the feed of `agent` as far as this store sealed it, and the size of the log at this moment; `None` where it has
    /// none.
    fn feed(
        &self,
        agent: DidKey,
    ) -> impl Future<Output = Result<Option<(Feed, u64)>, StoreError>> + Send {
        self.read(move |txn| export::feed(txn, agent))
    }

    /// Compares the list of a complete feed with the capsules of its agent that are here.
    fn compare_feed(
        &self,
        mut check: FeedCheck,
    ) -> impl Future<Output = Result<FeedCheck, StoreError>> + Send {
        self.read(move |txn| {
            entries::each_header(txn, &check.agent().to_string(), |_, header| {
                check.known(&header);
                Ok(())
            })?;
            Ok(check)
        })
    }

    /// Returns the next lines of an export, one exported capsule each, without line feed, some megabytes at most and none
    /// when all was given; and how many entries lie in an archive and are not in the lines. Takes the entries that were
    /// read out of `plan`.
    fn export_lines(
        &self,
        plan: &mut Vec<u64>,
    ) -> impl Future<Output = Result<(Vec<String>, u64), StoreError>> + Send {
        async move {
            let next: Vec<u64> = plan.iter().copied().take(export::CHUNK_ENTRIES).collect();
            let (lines, taken) = self.read(move |txn| export::lines(txn, &next)).await?;
            plan.drain(..taken.min(plan.len()));
            Ok(lines)
        }
    }

    /// Returns the capsules of other branches of the exported chains: evidence that another store needs to see the same
    /// forks.
    fn export_branches(
        &self,
        selection: Selection,
    ) -> impl Future<Output = Result<Vec<String>, StoreError>> + Send {
        self.read(move |txn| export::branches(txn, selection))
    }

    /// Returns the plan of [`Life::collect`] without removing anything. `older_than_us` in microseconds.
    fn plan_collection(
        &self,
        older_than_us: u64,
    ) -> impl Future<Output = Result<Vec<(HeldCapsule, Fate)>, StoreError>> + Send {
        let now_us = self.now_micros();
        self.read(move |txn| collect::fates(txn, older_than_us, now_us))
    }

    /// Removes capsules that were never accepted, cannot be any more, and are not needed, and returns all that were held.
    /// Of each removed one there remains its hash and the reason; of accepted capsules nothing is ever removed, whatever
    /// their state.
    fn collect(
        &self,
        older_than_us: u64,
    ) -> impl Future<Output = Result<Vec<(HeldCapsule, Fate)>, StoreError>> + Send {
        self.write(move |unit| collect::collect(unit.txn(), older_than_us, unit.now_micros()))
    }

    /// Moves capsules of Worlds that were recorded before a time into segments of a folder, which is made when it is not
    /// there. Current versions stay, and so do records; a World of one version, which is current, goes if it was recorded
    /// before `current` too. A moved capsule keeps its place in the log, its proofs and a stub; its World is not found by a search, and to fetch it is [`StoreError::Archived`],
    /// until it is [restored](Life::restore).
    ///
    /// Returns the segments as [`Life::plan_archive`] does, and the reason for which the place of moved rows in the
    /// file could not be freed; `None` when it was, or when nothing was moved.
    ///
    /// # Errors
    /// When the folder cannot be written, or the store not read or written: then nothing has
    /// moved, but files may be left that no receipt names.
    fn archive(
        &self,
        signer: Arc<dyn Signer>,
        before: Timestamp,
        current: Option<Timestamp>,
        folder: PathBuf,
    ) -> impl Future<Output = Result<(Vec<SegmentReport>, u64, Option<String>), StoreError>> + Send
    {
        async move {
            let written = self.read(move |txn| {
                let (segments, kept) = archive::plan(txn, before, current)?;
                Ok((archive::write_all(txn, &segments, &folder)?, kept))
            });
            let (segments, kept) = written.await?;
            if segments.is_empty() {
                return Ok((Vec::new(), kept, None));
            }
            let moved = self.write(move |unit| archive::move_all(unit, &*signer, &segments));
            Ok((moved.await?, kept, self.scrub().await))
        }
    }

    /// Returns the plan of [`Life::archive`] without moving anything: the segments, oldest first, empty when nothing
    /// is old enough; and the number of capsules that are old enough but stay, which are current versions, and chains
    /// with an open fork.
    fn plan_archive(
        &self,
        before: Timestamp,
        current: Option<Timestamp>,
    ) -> impl Future<Output = Result<(Vec<SegmentReport>, u64), StoreError>> + Send {
        self.read(move |txn| {
            let (segments, kept) = archive::plan(txn, before, current)?;
            Ok((archive::reports(&segments), kept))
        })
    }

    /// Returns the segments that the log has receipts of, oldest first.
    fn segments(&self) -> impl Future<Output = Result<Vec<SegmentReport>, StoreError>> + Send {
        self.read(|txn| archive::segments(txn))
    }

    /// Puts the capsules in segments of `folder` back in their place. Bytes, lines, receipt, log, chain
    /// and signatures are compared before anything is written. Erased content stays erased, and
    /// forgotten Worlds stay forgotten. Segments stay where they are.
    ///
    /// # Errors
    /// [`StoreError::SegmentRefused`] when a segment is not one that was archived here: then nothing
    /// of any of them is restored. When files or store cannot be read or written.
    fn restore(
        &self,
        folder: PathBuf,
        names: Vec<String>,
    ) -> impl Future<Output = Result<Vec<SegmentReport>, StoreError>> + Send {
        self.write(move |unit| archive::restore_all(unit, &folder, &names))
    }

    /// Removes the files of a segment of which everything is back. Its receipt stays in the log.
    ///
    /// # Errors
    /// [`StoreError::SegmentRefused`] when something of it is still archived, or when the log has no
    /// such receipt; when it cannot be removed.
    fn discard_segment(
        &self,
        folder: PathBuf,
        name: &str,
    ) -> impl Future<Output = Result<(), StoreError>> + Send {
        async move { archive::discard(self.segments().await?, &folder, name) }
    }
}

impl<B: Backend> Life for B {}
