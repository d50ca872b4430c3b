//! Contradictions: events that were seen here, chains that their agent signed twice, and logs that showed another
//! history (capsules 4.5, 4.8, C8, C11, C40).

use counterfoil_life::Life as _;
use std::fmt::Display;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use counterfoil_capsule::documents::{
    ContradictionKind, Evidence, Observation, Observed, Source, Suspect,
};
use counterfoil_capsule::{AgentSigner, Equivocation, Signer};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog, open_plain};
use counterfoil_types::json::canonical;
use counterfoil_types::{Blake3Hash, DidKey};
use counterfoil_verifier::checkpoint::Checkpoint;
use counterfoil_verifier::dangerous::checkpoint_signed_by;
use serde::Serialize;
use serde_json::Value;

use crate::care::log::root_at;
use crate::error::Error;
use crate::export::chain_named;
use crate::files::unreadable;
use crate::home::Home;
use crate::import_capsules::read_note;
use crate::keys::Use;
use crate::memory::Memory;
use crate::recovery::of_another;
use crate::report::{Report, object};

/// The most bytes of a proof.
const MAX_PROOF_BYTES: u64 = 16 << 20;

impl Memory {
    /// Contradictions that were seen here, after the one of this number: forgeries, forks, broken chains. The
    /// detail `lines` has each event as JSON on one line.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn events(
        &self,
        kind: Option<ContradictionKind>,
        mut after: u64,
    ) -> Result<Report, Error> {
        let store = self.reader()?;
        let mut events = Vec::new();
        loop {
            let more = store.events(after, kind).await?;
            let Some((last, ..)) = more.last() else { break };
            after = *last;
            let more = more.into_iter().map(|(number, count, document)| Event {
                number,
                count,
                document,
            });
            events.extend(more);
        }
        let lines = events.iter().map(serde_json::to_string);
        let lines: Vec<_> = lines
            .collect::<Result<_, _>>()
            .map_err(|_| Error::bug("an event that is no JSON"))?;
        Ok(Report::new(&object().with("events", events))?.with("lines", lines))
    }

    /// Chains that their agent signed twice; of one chain, named by its id or by a memory in it.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when there is no such chain.
    pub async fn forks(&self, chain: Option<&str>) -> Result<Report, Error> {
        let store = self.reader()?;
        let (forks, chain) = match chain {
            None => (store.forks().await?, None),
            Some(named) => {
                let chain = chain_named(&store, named).await?;
                (store.forks_of(chain).await?, Some(chain.to_string()))
            }
        };
        let forks = forks.into_iter().map(|fork| {
            let (kept, record) = fork.resolved.unzip();
            object()
                .with("chain", fork.chain)
                .with("agent", fork.agent)
                .with("seq", fork.seq)
                .with("accepted", fork.accepted)
                .with("others", fork.others)
                .with("capsules", fork.capsules)
                .with("state", kept.map_or("open", |_| "resolved"))
                .with_some("kept", kept)
                .with_some("record", record)
        });
        let forks = object().with("forks", forks.collect::<Vec<_>>());
        Ok(Report::new(&forks)?.with("chain", chain))
    }

    /// A proof that a chain was signed twice, which anyone can check; canonical JSON.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when the chain has not forked as far as this store has seen.
    pub async fn fork_proof(&self, chain: &str) -> Result<String, Error> {
        let store = self.reader()?;
        let chain = chain_named(&store, chain).await?;
        let proof = store.fork_proof(chain).await?.ok_or_else(|| {
            Error::input(
                format_args!("chain {chain} has not forked, as far as this store has seen"),
                "see `counterfoil fork list`",
            )
        })?;
        let text =
            canonical(&proof.to_value()).map_err(|_| Error::bug("a proof that is no JSON"))?;
        Ok(text + "\n")
    }

    /// Checks a proof that a chain was signed twice. Needs neither a store nor a log.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when the file cannot be read, [`ErrorKind::Refused`](crate::ErrorKind::Refused)
    /// when it proves no fork.
    pub fn check_fork_proof(path: &Path) -> Result<Report, Error> {
        let mut bytes = Vec::new();
        open_plain(path)
            .and_then(|file| file.take(MAX_PROOF_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|error| unreadable(path, &error))?;
        let refused = |error: &dyn Display| {
            Error::refused(
                format_args!("no proof of a fork: {error}"),
                "do not pass it on",
            )
        };
        let fork = Equivocation::parse(bytes.trim_ascii_end()).map_err(|error| refused(&error))?;
        fork.check_alone().map_err(|error| refused(&error))?;
        let capsules = fork.capsules().each_ref();
        Report::new(
            &object()
                .with("proven", true)
                .with("agent", fork.agent())
                .with("chain", fork.chain())
                .with("seq", fork.seq())
                .with("capsules", capsules.map(|capsule| capsule.header().hash())),
        )
    }

    /// Compares a signed checkpoint of this log that someone else holds with the log here.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when this log has not signed it. [`Report::problem`] says when the two
    /// differ; that is an event, too.
    pub async fn check_checkpoint(&self, path: &Path) -> Result<Report, Error> {
        let note = read_note(path)?;
        let (home, store) = (self.home(), self.reader()?);
        let key = home.log_public()?;
        let signed = checkpoint_signed_by(&key, &note).ok_or_else(|| {
            Error::input(
                format_args!(
                    "{} is not a checkpoint that this log has signed",
                    path.display()
                ),
                "name the output of `counterfoil log checkpoint` of a copy of this store",
            )
        })?;
        let held = store.size().await?;
        let (verdict, problem) = match signed.size() {
            size if size > held => (
                "ahead",
                Some(Error::unproven(
                    "this copy holds less than was signed elsewhere",
                    "bring back what is missing with `counterfoil reconcile --from EXPORT`",
                )),
            ),
            0 => ("same", None),
            size if root_at(&store, size).await? == signed.root() => ("same", None),
            _ => (
                "other",
                Some(Error::refused(
                    "this log's key has signed two histories: two copies of the store were written",
                    "see `counterfoil events`; stop writing to one of them",
                )),
            ),
        };
        if verdict == "other" {
            self.report_history(&store, &signed, &note).await?;
        }
        // `ahead` when this store holds less, `other` for another history.
        let compared = object()
            .with("origin", signed.origin())
            .with("size", signed.size())
            .with("held", held)
            .with("verdict", verdict);
        Ok(Report::new(&compared)?.but(problem))
    }

    /// Both notes are signed by this log's key: the pair proves it to everyone.
    async fn report_history(
        &self,
        reader: &SqliteStore,
        signed: &Checkpoint,
        note: &str,
    ) -> Result<(), Error> {
        let root = root_at(reader, signed.size()).await?;
        // Signing is deterministic: this is the note that was signed at that size, if there was one.
        let own = self.home().log_key()?.signer()?;
        let own = own.checkpoint(signed.size(), root)?;
        let seen = Observation {
            kind: ContradictionKind::Equivocation,
            code: "E_LOG_FORK".to_owned(),
            subject: Suspect::Log {
                key: self.home().log_public()?,
                size: signed.size(),
            },
            source: Source::way("checkpoint"),
            expected: Some(Observed::Root(root)),
            actual: Some(Observed::Root(signed.root())),
            evidence: vec![Evidence::Note(own), Evidence::Note(note.to_owned())],
        };
        let detector = self.home().agent_public()?;
        self.writer()?.observe(detector, seen).await?;
        Ok(())
    }

    /// Decides which branch of a forked chain goes on, named by its first capsule: as the owner, for everyone, with the
    /// file of the recovery key, or else as the operator, for this store alone.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when there is no such chain or branch.
    pub async fn resolve_fork(
        &self,
        chain: &str,
        keep: Blake3Hash,
        recovery_key: Option<&Path>,
        reason: &str,
    ) -> Result<Report, Error> {
        self.must_exist()?;
        let signer = self.signer()?;
        let store = self.writer()?;
        let chain = chain_named(&store, chain).await?;
        let (recovery, by) = match recovery_key {
            Some(path) => {
                let forks = store.forks_of(chain).await?;
                let owner = forks.first().map(|fork| fork.agent).ok_or_else(|| {
                    Error::input(
                        format_args!("chain {chain} has not forked"),
                        "see `counterfoil fork list`",
                    )
                })?;
                (Some(recovery(self.home(), path, owner)?), "recovery key")
            }
            None => (None, "operator"),
        };
        let resolved = store
            .resolve_fork(signer, (chain, keep), recovery, reason)
            .await?;
        let resolution = &resolved.resolution;
        Report::new(
            &object()
                .with("chain", resolution.chain)
                .with("seq", resolution.seq)
                .with("kept", resolution.keep)
                .with("abandoned", &resolution.abandon)
                .with("by", by)
                .with("record", resolved.record)
                .with("continued", resolved.continued)
                .with("abandoned_capsules", resolved.abandoned),
        )
    }
}

impl Memory {
    /// Records in the log the undecided forks that it does not have, so that no proof of a standing leaves them out. Writes nothing
    /// where there are none, in a memory that is only read, and, with a notice, without the agent's key.
    pub(crate) async fn record_forks(&self) -> Result<(), Error> {
        if self.any()?.unrecorded_forks().await? == 0 || !self.is_writable() {
            return Ok(());
        }
        let opened = self
            .signer()
            .and_then(|signer| Ok((signer, self.writer()?)));
        match opened {
            Ok((signer, store)) => drop(store.record_forks(signer).await?),
            Err(error) => self.home().notices().add(format_args!(
                "a fork is not in the log yet, so proofs do not show it ({error}): the next import or proposal with the agent's key records it"
            )),
        }
        Ok(())
    }
}

/// An event, with its number here and the times it was seen.
#[derive(Serialize)]
struct Event {
    number: u64,
    count: u64,
    #[serde(flatten)]
    document: Value,
}

/// The recovery key in that file, if it is of the chain's owner.
fn recovery(home: &Home, path: &Path, owner: DidKey) -> Result<Arc<dyn Signer>, Error> {
    if std::fs::symlink_metadata(path).is_err() {
        return Err(Error::input(
            format_args!("there is no recovery key at {}", path.display()),
            "name its file with --recovery-key, or decide as the operator without it",
        ));
    }
    let folder = path.parent().map(Path::to_owned);
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    let folder = home.recovery(Some(folder.unwrap_or_else(|| Path::new(".").to_owned())));
    let key = folder.read(home.passphrase(), path)?;
    if key.purpose != (Use::Recovery { agent: owner }) {
        return Err(of_another(path, owner));
    }
    let signer = AgentSigner::new(key.secret);
    Ok(Arc::new(signer))
}
