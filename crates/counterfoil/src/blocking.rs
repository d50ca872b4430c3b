//! The same memory for programs without an async runtime.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use counterfoil_capsule::documents::ContradictionKind;
use counterfoil_claims::belief::Belief;
use counterfoil_claims::{Assertion, Channel, Submission};
use counterfoil_types::json::Value;
use counterfoil_types::{Blake3Hash, DidKey};
use tokio::runtime::{Builder, Runtime};

use crate::{
    AskOptions, BeliefQuery, Beliefs, CheckOptions, DistrustOptions, Domain, Edit, ErasureScope,
    Error, ExportFormat, ExtractOptions, FloorChoice, HearOptions, ImportOptions, LineHistory,
    MemoryBuilder, Note, PassOn, PeerOptions, Proposal, RecallOptions, Recalled, Remembered,
    Report, Timeline, Timestamp, UnixMillis, VouchOptions, WhyBelief, WorldId,
};

/// A [`Memory`](crate::Memory) whose calls return when they are done. Not for use inside an async runtime.
#[derive(Clone)]
pub struct Memory {
    memory: crate::Memory,
    runtime: Arc<Runtime>,
}

impl Memory {
    /// As [`Memory::create`](crate::Memory::create).
    ///
    /// # Errors
    /// As there.
    pub fn create(dir: impl Into<PathBuf>) -> Result<Self, Error> {
        let runtime = runtime()?;
        let memory = runtime.block_on(crate::Memory::create(dir))?;
        Ok(Self { memory, runtime })
    }

    /// As [`Memory::open`](crate::Memory::open).
    ///
    /// # Errors
    /// As there.
    pub fn open(dir: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::over(crate::Memory::open(dir)?)
    }

    /// As [`Memory::open_read_only`](crate::Memory::open_read_only).
    ///
    /// # Errors
    /// As there.
    pub fn open_read_only(dir: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::over(crate::Memory::open_read_only(dir)?)
    }

    /// As [`Memory::builder`](crate::Memory::builder); [`Memory::over`] takes what it opens.
    pub fn builder(dir: impl Into<PathBuf>) -> MemoryBuilder {
        crate::Memory::builder(dir)
    }

    /// The same memory, blocking.
    ///
    /// # Errors
    /// [`ErrorKind::Place`](crate::ErrorKind::Place) when the system gives no event queue.
    pub fn over(memory: crate::Memory) -> Result<Self, Error> {
        Ok(Self {
            memory,
            runtime: runtime()?,
        })
    }
}

fn runtime() -> Result<Arc<Runtime>, Error> {
    let built = Builder::new_current_thread().enable_all().build();
    built.map(Arc::new).map_err(|error| {
        Error::place(
            format_args!("the system gives no event queue ({error})"),
            "end other programs",
        )
    })
}

macro_rules! twins {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)*) => {
        impl Memory {
            $(
                #[doc = concat!("As [`Memory::", stringify!($name), "`](crate::Memory::", stringify!($name), ").")]
                ///
                /// # Errors
                /// As there.
                pub fn $name(&self, $($arg: $ty),*) -> Result<$out, Error> {
                    self.runtime.block_on(self.memory.$name($($arg),*))
                }
            )*
        }
    };
}

twins! {
    fn remember(note: impl Into<Note>) -> Remembered;
    fn decisions(max: usize) -> Report;
    fn record_decision(proposal: &Proposal, decision: &Value) -> Report;
    fn record_outcome(proposal: &Proposal, decision: &Value, note: impl Into<Note>) -> Remembered;
    fn used(id: &str) -> Report;
    fn find_id(named: &str) -> WorldId;
    fn short_ids(ids: &[WorldId]) -> Vec<String>;
    fn receipt(named: &str) -> Report;
    fn import(file: &Path, options: ImportOptions) -> Report;
    fn guard(dir: &Path, name: Option<&str>) -> Report;
    fn check_guarded(dir: &Path, name: Option<&str>) -> Report;
    fn recall(query: &str, options: &RecallOptions) -> Recalled;
    fn eval(file: &Path) -> Report;
    fn embed() -> Report;
    fn migrate_vectors() -> Report;
    fn recall_as_of(time: Timestamp, query: &str, options: &RecallOptions) -> Recalled;
    fn writer_of(id: &WorldId) -> Option<DidKey>;
    fn propose(summary: &str, queries: &[impl AsRef<str>], intent: Option<Value>, to: Option<&str>, options: &RecallOptions) -> Proposal;
    fn anchors(floor: FloorChoice) -> (String, Option<u64>);
    fn claim(submission: Submission, superseding: &[WorldId]) -> Report;
    fn assert(assertion: Assertion) -> Report;
    fn committed(key: &str) -> Report;
    fn claim_unit(named: &str) -> Report;
    fn claim_origin(named: &str) -> Report;
    fn claim_ledger(claim: Option<&str>, before: Option<u64>, max: usize) -> Report;
    fn pending() -> Report;
    fn believe(subject: &str, predicate: &str, query: &BeliefQuery) -> Belief;
    fn believe_within(subject: &str, predicate: &str, query: &BeliefQuery) -> Beliefs;
    fn believe_all(named: &str, query: &BeliefQuery) -> Beliefs;
    fn contested(query: &BeliefQuery, max: usize) -> Beliefs;
    fn why(subject: &str, predicate: &str, query: &BeliefQuery, max: usize) -> WhyBelief;
    fn line_history(subject: &str, predicate: &str, query: &BeliefQuery, max: usize) -> LineHistory;
    fn timeline(named: &str, of: Option<&str>, as_of: Option<u64>, agent: Option<DidKey>) -> Timeline;
    fn prove(subject: &str, predicate: &str, query: &BeliefQuery, floor: Option<u64>) -> Report;
    fn extract(id: Option<&str>, options: &ExtractOptions) -> Report;
    fn import_claims(file: &Path, channel: &Channel, from_agent: Option<&str>) -> Report;
    fn share(label: &str, to: &[String], predicates: &[String], pass_on: PassOn) -> Report;
    fn shares() -> Report;
    fn unshare(label: &str, to: &[String], predicates: &[String]) -> Report;
    fn peers(domain: Option<&Domain>) -> Report;
    fn add_peer(name: &str, agent: &str, options: PeerOptions) -> Report;
    fn pin_peer(agent: &str, signs: Option<bool>, succession: Option<&Path>) -> Report;
    fn trust_peer(agent: &str, domain: Option<Domain>, until: Option<Timestamp>) -> Report;
    fn distrust_peer(agent: &str, options: DistrustOptions) -> Report;
    fn explain_trust(agent: &str, domain: Option<&Domain>) -> Report;
    fn issue_vouch(agent: &str, options: VouchOptions) -> String;
    fn revoke_vouch(id: &str, reason: Option<String>) -> String;
    fn import_vouches(file: &Path, from_voucher: bool) -> Report;
    fn vouches(of: Option<&str>, by: Option<DidKey>) -> Report;
    fn ask(target: &str, question: &str, options: &AskOptions) -> Report;
    fn who_knows(topic: &str, question: Option<&str>, options: &AskOptions) -> Report;
    fn verify_memory(target: &str, id: &str, options: &AskOptions) -> Report;
    fn question_text(target: &str, question: &str, options: &AskOptions) -> String;
    fn exchanges(max: usize) -> Report;
    fn exchange(id: &str) -> Report;
    fn cancel_exchange(id: &str) -> Report;
    fn adopt_exchange(id: &str) -> Report;
    fn resume_exchange(id: &str, plain_http: bool, ca: Option<&Path>) -> Report;
    fn hear(message: &str, options: &HearOptions) -> Report;
    fn show(id: &str) -> Report;
    fn show_entry(index: u64) -> Report;
    fn update(id: &str, edit: &Edit) -> Report;
    fn rollback(id: &str, to: u64) -> Report;
    fn history(id: &str, max: usize) -> Report;
    fn diff(from: &str, to: &str) -> Report;
    fn as_of(time: Timestamp, skip: usize, max: usize) -> Report;
    fn erase(id: &str, reason: &str, scope: ErasureScope) -> Report;
    fn derived(id: &str, all_versions: bool) -> Report;
    fn is_erased(id: &str) -> bool;
    fn forget(id: &str, reason: &str) -> Report;
    fn forget_for_all(id: &str, reason: &str, decision: &Value) -> Report;
    fn forgotten() -> Report;
    fn archive(before: UnixMillis, current: Option<UnixMillis>, folder: Option<PathBuf>, dry_run: bool) -> Report;
    fn archived() -> u64;
    fn segments() -> Report;
    fn restore(segments: &[String], folder: Option<PathBuf>, discard: bool) -> Report;
    fn collect(older_than_ms: u64, dry_run: bool) -> Report;
    fn check(options: CheckOptions) -> Report;
    fn stats(deep: bool) -> Report;
    fn rebuild() -> Report;
    fn reconcile(export: Option<&Path>) -> Report;
    fn ship(folder: &Path, keys_to: Option<&Path>) -> Report;
    fn end_shipping(folder: &Path) -> Report;
    fn follow(from: &Path, keys: Option<&Path>) -> Report;
    fn restore_at_size(from: &Path, keys: Option<&Path>, size: u64) -> Report;
    fn restore_at_time(from: &Path, keys: Option<&Path>, time_us: u64) -> Report;
    fn export(chain: Option<&str>, agent: Option<DidKey>, out: &mut (dyn Write + Send)) -> Report;
    fn export_texts(format: ExportFormat, out: &mut (dyn Write + Send)) -> Report;
    fn export_complete(out: &mut (dyn Write + Send)) -> Report;
    fn export_complete_to(path: &Path) -> Report;
    fn export_to(chain: Option<&str>, agent: Option<DidKey>, path: &Path) -> Report;
    fn checkpoint() -> Report;
    fn consistency(from: u64, to: Option<u64>) -> Report;
    fn log_map() -> Report;
    fn check_log_map() -> Report;
    fn export_tiles(folder: &Path) -> Report;
    fn events(kind: Option<ContradictionKind>, after: u64) -> Report;
    fn forks(chain: Option<&str>) -> Report;
    fn fork_proof(chain: &str) -> String;
    fn check_checkpoint(path: &Path) -> Report;
    fn resolve_fork(chain: &str, keep: Blake3Hash, recovery_key: Option<&Path>, reason: &str) -> Report;
    fn keys(recovery_dir: Option<PathBuf>) -> Report;
    fn begin_keys(recovery_dir: Option<PathBuf>) -> Report;
    fn rotate_key(recovery_dir: Option<PathBuf>) -> Report;
    fn mark_compromised(from: u64, key: Option<u64>, reason: &str, recovery_dir: Option<PathBuf>) -> Report;
    fn export_keys() -> (String, usize);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_twin_remembers_and_recalls() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::create(folder.path().join("memory")).unwrap();
        let id = memory.remember("Kit must not eat sesame").unwrap().id;
        let options = RecallOptions::default();
        let recalled = memory.recall("What must Kit not eat?", &options).unwrap();
        let hit = recalled.hits().first().unwrap();
        assert_eq!((&hit.id, hit.verified), (&id, true));
        let again = Memory::open_read_only(folder.path().join("memory")).unwrap();
        assert!(again.remember("more").is_err());
        assert_eq!(
            again.history(&id.to_string(), 9).unwrap().number("/count"),
            Some(1)
        );
    }
}
