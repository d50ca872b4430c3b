//! `fork check-checkpoint`: whether this log has shown somebody else another history (capsules 4.5).

use std::path::Path;

use counterfoil_capsule::documents::{
    ContradictionKind, Evidence, Observation, Observed, Source, Suspect,
};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::CapsuleLog;
use counterfoil_verifier::checkpoint::Checkpoint;
use serde::Serialize;

use crate::commands::import_capsules::read_note;
use crate::commands::log::root_at;
use crate::context::Context;
use crate::failure::Failure;
use crate::floor::signed_by;
use crate::output::pairs;

#[derive(Debug, Serialize)]
struct Compared {
    origin: String,
    size: u64,
    held: u64,
    /// `same`, `ahead` when this store holds less, `other` for another history.
    verdict: &'static str,
}

pub(super) async fn run(context: &Context, path: &Path) -> Result<(), Failure> {
    let home = &context.home;
    let note = read_note(path)?;
    let store = home.reader()?;
    let key = home.log_public()?;
    let signed = signed_by(&key, &note).ok_or_else(|| {
        Failure::input(
            format_args!(
                "{} is not a checkpoint that this log has signed",
                path.display()
            ),
            "name the output of `counterfoil log checkpoint` of a copy of this store",
        )
    })?;
    let held = store.size().await?;
    let verdict = match signed.size() {
        size if size > held => "ahead",
        0 => "same",
        size if root_at(&store, size).await? == signed.root() => "same",
        _ => "other",
    };
    let compared = Compared {
        origin: signed.origin().to_owned(),
        size: signed.size(),
        held,
        verdict,
    };
    if verdict == "other" {
        report(context, &store, &signed, &note).await?;
    }
    context.out.answer(&compared, |out| {
        pairs(
            out,
            &[
                ("log", compared.origin.clone()),
                ("signed entries", compared.size.to_string()),
                ("entries here", compared.held.to_string()),
                ("history", compared.verdict.to_owned()),
            ],
        )
    })?;
    match verdict {
        "same" => Ok(()),
        "ahead" => Err(Failure::unproven(
            "this copy holds less than was signed elsewhere",
            "bring back what is missing with `counterfoil reconcile --from EXPORT`",
        )),
        _ => Err(Failure::refused(
            "this log's key has signed two histories: two copies of the store were written",
            "see `counterfoil events`; stop writing to one of them",
        )),
    }
}

/// Both notes are signed by this log's key: the pair proves it to everyone.
async fn report(
    context: &Context,
    reader: &SqliteStore,
    signed: &Checkpoint,
    note: &str,
) -> Result<(), Failure> {
    let root = root_at(reader, signed.size()).await?;
    // Signing is deterministic: this is the note that was signed at that size, if there was one.
    let own = context.home.log_key()?.signer()?;
    let own = own.checkpoint(signed.size(), root)?;
    let seen = Observation {
        kind: ContradictionKind::Equivocation,
        code: "E_LOG_FORK".to_owned(),
        subject: Suspect::Log {
            key: context.home.log_public()?,
            size: signed.size(),
        },
        source: Source::way("checkpoint"),
        expected: Some(Observed::Root(root)),
        actual: Some(Observed::Root(signed.root())),
        evidence: vec![Evidence::Note(own), Evidence::Note(note.to_owned())],
    };
    let detector = context.home.agent_public()?;
    context.home.writer()?.observe(detector, seen).await?;
    Ok(())
}
