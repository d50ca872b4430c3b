//! Export: chains as they travel, one exported capsule a line, in log order (capsules, C34-C44).

use counterfoil_life::{Backend as _, Life as _};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use counterfoil_capsule::{ChainId, FeedPart, MAX_FEED_PART, Timestamp};
use counterfoil_life::Selection;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog, StoreError};
use counterfoil_types::json::canonical;
use counterfoil_types::{DidKey, Scope};
use serde::Serialize;

use crate::error::{Error, ErrorKind};
use crate::memory::{Memory, Progress};
use crate::report::Report;
use crate::versions;
use crate::words::count;

#[derive(Debug, Default, Serialize)]
struct Exported {
    file: String,
    /// Entries of the log.
    capsules: u64,
    /// Capsules of branches beside them.
    branches: u64,
    /// Entries that lie in an archive and are not in the file.
    archived: u64,
}

impl Memory {
    /// Writes chains as they travel, one capsule a line: of one chain, named by its id or by a memory in it, of one agent,
    /// or all.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] when there is no such chain or agent, or `out` takes no more. [`Report::problem`] says when
    /// capsules that lie in an archive were left out.
    pub async fn export(
        &self,
        chain: Option<&str>,
        agent: Option<DidKey>,
        out: &mut (dyn Write + Send),
    ) -> Result<Report, Error> {
        let (store, listed) = self.listed_for(chain, agent).await?;
        report(&write(&store, listed, out, (None, self.progress())).await?)
    }

    /// The same into a file, which is whole or absent afterwards.
    ///
    /// # Errors
    /// As [`Memory::export`]; [`ErrorKind::Interrupted`] if the memory was interrupted.
    pub async fn export_to(
        &self,
        chain: Option<&str>,
        agent: Option<DidKey>,
        path: &Path,
    ) -> Result<Report, Error> {
        let (store, listed) = self.listed_for(chain, agent).await?;
        report(&to_file(&store, listed, path, (self.interruption(), self.progress())).await?)
    }

    /// Writes all capsules of this store's agent, and before them the list of its feed, which shows that none is left out
    /// (docs/format/feed.md).
    ///
    /// # Errors
    /// As [`Memory::export`], and [`ErrorKind::Input`] while nothing is sealed with a feed.
    pub async fn export_complete(&self, out: &mut (dyn Write + Send)) -> Result<Report, Error> {
        let store = self.reader()?;
        let listed = self.listed(&store).await?;
        report(&write(&store, listed, out, (None, self.progress())).await?)
    }

    /// The same into a file, which is whole or absent afterwards.
    ///
    /// # Errors
    /// As [`Memory::export_complete`]; [`ErrorKind::Interrupted`] if the memory was interrupted.
    pub async fn export_complete_to(&self, path: &Path) -> Result<Report, Error> {
        let store = self.reader()?;
        let listed = self.listed(&store).await?;
        report(&to_file(&store, listed, path, (self.interruption(), self.progress())).await?)
    }

    /// The store, and the selection: in a scope the one memory that is named, all of whose versions have to be in it.
    async fn listed_for(
        &self,
        chain: Option<&str>,
        agent: Option<DidKey>,
    ) -> Result<(Arc<SqliteStore>, Listed), Error> {
        if self.scope().is_empty() {
            let store = self.reader()?;
            let listed = selection(&store, chain, agent).await?.into();
            return Ok((store, listed));
        }
        let Some(id) = chain else {
            return Err(Error::refused(
                "in a scope one memory is exported at a time",
                "name it: `--chain ID` at the command line, `?memory=ID` over HTTP",
            ));
        };
        let (whole, id) = self.reaching(id).await?;
        let store = whole.reader()?;
        let chain = chain_named(&store, &id).await?;
        let versions = store.chain(&chain).await?;
        let count = versions.len();
        let forks = store.forks_of(chain).await?;
        if self.reached(&store, versions).await?.len() < count || !forks.is_empty() {
            return Err(Error::refused(
                "a version of that memory is forked, erased, archived or in another scope",
                "ask whoever opened the store without a scope to export it",
            ));
        }
        Ok((store, Selection::Chain(chain).into()))
    }

    /// The list of the agent's feed, signed as of now.
    async fn listed(&self, store: &SqliteStore) -> Result<Listed, Error> {
        let signer = self.signer()?;
        let agent = signer.agent();
        let feed = store.feed(agent).await?;
        let ((secret, (mut from, mut previous), capsules), end) = feed.ok_or_else(|| {
            Error::input(
                "this store has sealed nothing since agents have a feed",
                "remember something first",
            )
        })?;
        let size = from + u64::try_from(capsules.len()).unwrap_or(u64::MAX);
        let at =
            Timestamp::from_micros(store.now_micros()).map_err(StoreError::ClockImplausible)?;
        let mut parts = Vec::new();
        for chunk in capsules.chunks(MAX_FEED_PART) {
            let place = (from, previous);
            let part = FeedPart::sign(&*signer, &secret, place, chunk.to_vec(), (size, at));
            let part = part.map_err(|_| Error::bug("a list of a feed that does not fit"))?;
            let line = canonical(part.to_value());
            parts.push(line.map_err(|_| Error::bug("a list without a canonical form"))?);
            from += u64::try_from(chunk.len()).unwrap_or(u64::MAX);
            previous = chunk.last().copied();
        }
        Ok(Listed {
            selection: Selection::Agent(agent),
            parts,
            end,
        })
    }
}

/// Selection of an export.
struct Listed {
    selection: Selection,
    /// Lines of the list of the agent's feed.
    parts: Vec<String>,
    /// Size of the log that it is of.
    end: u64,
}

impl From<Selection> for Listed {
    fn from(selection: Selection) -> Self {
        Self {
            selection,
            parts: Vec::new(),
            end: u64::MAX,
        }
    }
}

async fn selection(
    store: &SqliteStore,
    chain: Option<&str>,
    agent: Option<DidKey>,
) -> Result<Selection, Error> {
    Ok(match (chain, agent) {
        (Some(named), _) => Selection::Chain(chain_named(store, named).await?),
        (None, Some(agent)) => Selection::Agent(agent),
        (None, None) => Selection::All,
    })
}

fn report(exported: &Exported) -> Result<Report, Error> {
    let problem = Error::unproven(
        format_args!(
            "{} in an archive and not in the export",
            count(exported.archived, "capsule lies", "capsules lie")
        ),
        "restore them and export again, or hand on their segments",
    );
    Ok(Report::new(exported)?.but((exported.archived > 0).then_some(problem)))
}

/// The chain of that id, or of the memory of that id.
pub(crate) async fn chain_named(store: &SqliteStore, named: &str) -> Result<ChainId, Error> {
    if let Ok(chain) = named.parse::<ChainId>()
        && (store.head(&chain).await?.is_some() || !store.forks_of(chain).await?.is_empty())
    {
        return Ok(chain);
    }
    let unknown = || {
        Error::input(
            format_args!("there is no chain and no memory {named:?}"),
            "take an id from `counterfoil recall`, `show` or `fork list`",
        )
    };
    let world_id = versions::find((store, &Scope::new()), named).await?;
    let (chain, _) = store.chain_of(&world_id).await?.ok_or_else(unknown)?;
    Ok(chain)
}

/// Beside the file first, then in its place: it is whole or absent.
async fn to_file(
    store: &SqliteStore,
    listed: Listed,
    path: &Path,
    how: (&AtomicBool, Option<&Progress>),
) -> Result<Exported, Error> {
    let unwritable = |error: io::Error| {
        Error::input(
            format_args!("{} cannot be written ({error})", path.display()),
            "choose another path for -o",
        )
    };
    let special = std::fs::metadata(path).is_ok_and(|found| !found.is_file());
    if special {
        let mut file = File::create(path).map_err(unwritable)?;
        return write(store, listed, &mut file, (None, how.1)).await;
    }
    // Ended before its time, it takes with it what it has written.
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let part = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")));
    let part = part.map_err(|error| unwritable(error.kind().into()))?;
    let mut out = BufWriter::new(part);
    let mut exported = write(store, listed, &mut out, (Some(how.0), how.1)).await?;
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
    listed: Listed,
    out: &mut (dyn Write + Send),
    (interrupted, progress): (Option<&AtomicBool>, Option<&Progress>),
) -> Result<Exported, Error> {
    let selection = listed.selection;
    let full = |error: io::Error| Error::input(error, "choose another place to write to");
    let agent = match &selection {
        Selection::Agent(agent) => Some(*agent),
        _ => None,
    };
    let mut plan = store.export_plan(selection).await?;
    plan.retain(|index| *index < listed.end);
    let branches = store.export_branches(selection).await?;
    if let Some(agent) = agent
        && plan.is_empty()
        && branches.is_empty()
    {
        return Err(Error::input(
            format_args!("this store has nothing that {agent} signed"),
            "take an agent that `counterfoil show` prints",
        ));
    }
    let mut exported = Exported {
        file: "-".to_owned(),
        ..Exported::default()
    };
    for line in listed.parts {
        writeln!(out, "{line}").map_err(full)?;
    }
    let all = u64::try_from(plan.len()).unwrap_or(u64::MAX);
    while !plan.is_empty() {
        if let Some(progress) = progress {
            let left = u64::try_from(plan.len()).unwrap_or(u64::MAX);
            progress(exported.capsules, Some((all.saturating_sub(left), all)));
        }
        if interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Error::new(
                ErrorKind::Interrupted,
                "the export was ended by Ctrl-C; nothing was written",
            ));
        }
        let (lines, archived) = store.export_lines(&mut plan).await?;
        exported.archived += archived;
        for line in &lines {
            writeln!(out, "{line}").map_err(full)?;
            exported.capsules += 1;
        }
    }
    for line in branches {
        writeln!(out, "{line}").map_err(full)?;
        exported.branches += 1;
    }
    out.flush().map_err(full)?;
    Ok(exported)
}
