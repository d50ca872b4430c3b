//! `export`: chains as they travel, one exported capsule a line, in log order (capsules, C34-C44).

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use counterfoil_capsule::ChainId;
use counterfoil_sqlite::{Selection, SqliteStore};
use counterfoil_store::{CapsuleLog, StoreError, StoreLocation};
use counterfoil_types::WorldId;
use serde::Serialize;

use crate::args::ExportCapsulesArgs;
use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::output::{self, pairs};

#[derive(Debug, Serialize)]
struct Exported {
    file: String,
    /// Entries of the log.
    capsules: u64,
    /// Capsules of branches beside them.
    branches: u64,
    /// Entries that lie in an archive and are not in the file.
    archived: u64,
}

pub(crate) async fn run(context: &Context, args: ExportCapsulesArgs) -> Result<(), Failure> {
    let store = context.home.reader()?;
    let selection = match (&args.chain, args.agent) {
        (Some(named), _) => Selection::Chain(chain_named(&store, named).await?),
        (None, Some(agent)) => Selection::Agent(agent),
        (None, None) => Selection::All,
    };
    let exported = match &args.output {
        Some(path) => to_file(&store, selection, path).await?,
        None => {
            let mut out = io::stdout().lock();
            let exported = write(&store, selection, &mut out, None).await?;
            out.flush()?;
            exported
        }
    };
    if args.output.is_some() {
        answer(context, &exported)?;
    }
    if exported.archived == 0 {
        return Ok(());
    }
    Err(Failure::unproven(
        format_args!(
            "{} in an archive and not in the export",
            output::count(exported.archived, "capsule lies", "capsules lie")
        ),
        "restore them and export again, or hand on their segments",
    ))
}

fn answer(context: &Context, exported: &Exported) -> Result<(), Failure> {
    context.out.answer(exported, |out| {
        pairs(
            out,
            &[
                ("written to", exported.file.clone()),
                ("capsules", exported.capsules.to_string()),
                ("of other branches", exported.branches.to_string()),
                ("archived, left out", exported.archived.to_string()),
            ],
        )
    })
}

/// The chain of that id, or of the memory of that id.
pub(crate) async fn chain_named(store: &SqliteStore, named: &str) -> Result<ChainId, Failure> {
    if let Ok(chain) = named.parse::<ChainId>()
        && (store.head(&chain).await?.is_some() || !store.forks_of(chain).await?.is_empty())
    {
        return Ok(chain);
    }
    let unknown = || {
        Failure::input(
            format_args!("there is no chain and no memory {named:?}"),
            "take an id from `counterfoil recall`, `show` or `fork list`",
        )
    };
    let world_id = WorldId::new(named).map_err(|_| unknown())?;
    let index = store.index_of(&world_id).await?.ok_or_else(unknown)?;
    let stored = store.capsule(index).await?.ok_or_else(|| {
        Failure::from(StoreError::corrupt(
            StoreLocation::entry("capsule", index),
            "there is no capsule",
        ))
    })?;
    Ok(stored.header.chain())
}

/// Beside the file first, then in its place: it is whole or absent.
async fn to_file(
    store: &SqliteStore,
    selection: Selection,
    path: &Path,
) -> Result<Exported, Failure> {
    let unwritable = |error: io::Error| {
        Failure::input(
            format_args!("{} cannot be written ({error})", path.display()),
            "choose another path for -o",
        )
    };
    let special = std::fs::metadata(path).is_ok_and(|found| !found.is_file());
    if special {
        let mut file = File::create(path).map_err(unwritable)?;
        return write(store, selection, &mut file, None).await;
    }
    // Ended by Ctrl-C, it takes what it has written with it.
    let interrupted = crate::interrupt::interruption()?;
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let part = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")));
    let part = part.map_err(|error| unwritable(error.kind().into()))?;
    let mut out = BufWriter::new(part);
    let mut exported = write(store, selection, &mut out, Some(&interrupted)).await?;
    let part = out
        .into_inner()
        .map_err(|error| unwritable(error.into_error()))?;
    part.as_file().sync_all().map_err(unwritable)?;
    part.persist(path)
        .map_err(|error| unwritable(error.error))?;
    exported.file = path.display().to_string();
    Ok(exported)
}

async fn write(
    store: &SqliteStore,
    selection: Selection,
    out: &mut dyn Write,
    interrupted: Option<&AtomicBool>,
) -> Result<Exported, Failure> {
    let agent = match &selection {
        Selection::Agent(agent) => Some(*agent),
        _ => None,
    };
    let mut plan = store.export_plan(selection).await?;
    let branches = store.export_branches(&plan).await?;
    if let Some(agent) = agent
        && plan.is_empty()
        && branches.is_empty()
    {
        return Err(Failure::input(
            format_args!("this store has nothing that {agent} signed"),
            "take an agent that `counterfoil show` prints",
        ));
    }
    let mut exported = Exported {
        file: "-".to_owned(),
        capsules: 0,
        branches: 0,
        archived: 0,
    };
    while !plan.is_empty() {
        if interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Failure::new(
                ErrorKind::Interrupted,
                "the export was ended by Ctrl-C; nothing was written".to_owned(),
            ));
        }
        let (lines, archived) = store.export_lines(&mut plan).await?;
        exported.archived += archived;
        for line in &lines {
            writeln!(out, "{line}")?;
            exported.capsules += 1;
        }
    }
    for line in branches {
        writeln!(out, "{line}")?;
        exported.branches += 1;
    }
    Ok(exported)
}
