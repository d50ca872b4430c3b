//! Checkpoints of this log that others hold: whether it has shown somebody else another history (capsules 4.5).

use std::path::Path;

use counterfoil_capsule::documents::{
    ContradictionKind, Evidence, Observation, Observed, Source, Suspect,
};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::CapsuleLog;
use counterfoil_verifier::checkpoint::Checkpoint;
use serde::Serialize;

use crate::care::log::root_at;
use crate::error::Error;
use crate::floor::signed_by;
use crate::import_capsules::read_note;
use crate::memory::Memory;
use crate::report::Report;

#[derive(Debug, Serialize)]
struct Compared {
    origin: String,
    size: u64,
    held: u64,
    /// `same`, `ahead` when this store holds less, `other` for another history.
    verdict: &'static str,
}

impl Memory {
    /// Compares a signed checkpoint of this log that someone else holds with the log here.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when this log has not signed it. [`Report::problem`] says when the two
    /// differ; that is an event, too.
    pub async fn check_checkpoint(&self, path: &Path) -> Result<Report, Error> {
        let note = read_note(path)?;
        let (home, store) = (self.home(), self.reader()?);
        let key = home.log_public()?;
        let signed = signed_by(&key, &note).ok_or_else(|| {
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
        let compared = Compared {
            origin: signed.origin().to_owned(),
            size: signed.size(),
            held,
            verdict,
        };
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
}
