//! Guard of a folder of files: each file a chain of versions, what was changed since the last seal named (decision 0074).

mod compare;

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use counterfoil_capsule::Timestamp;
use counterfoil_sqlite::SqliteStore;
use counterfoil_types::WorldId;
use serde::Serialize;

use crate::error::Error;
use crate::file_chains::{FileWrite, Folder, SealedFile, SealedFiles, earlier_with, sealed_files};
use crate::files::unreadable;
use crate::folder::{self, FoundFile, LeftOut, Walked};
use crate::memory::Memory;
use crate::repeated::is_late;
use crate::report::{Report, object};
use compare::{Difference, File, differences};

/// Attempts while other programs write first.
const TRIES: u32 = 3;
/// Time between two looks at a watched folder.
const LOOK: Duration = Duration::from_millis(500);
/// Longest delay before Ctrl-C is noticed.
const PATIENCE: Duration = Duration::from_millis(50);
/// Longest name of a folder, in bytes.
const MAX_NAME_BYTES: usize = 1024;

/// One difference, as it is reported.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    /// `added`, `altered`, `rolledBack`, `removed` or `moved`.
    change: &'static str,
    path: String,
    /// Path before it was moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// Reason why it cannot be sealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// The memory: the version that was sealed now, or else the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<WorldId>,
    /// Number of that version.
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    /// Number of the earlier version whose content is back.
    #[serde(skip_serializing_if = "Option::is_none")]
    same_as: Option<u64>,
    /// Time of the last seal before.
    #[serde(skip_serializing_if = "Option::is_none")]
    sealed_at: Option<Timestamp>,
    /// Owner of the file. Who changed it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
}

/// A folder that is guarded.
struct GuardedFolder {
    folder: Folder,
    root: PathBuf,
    /// Folder of the memory, which is never sealed into itself.
    own: PathBuf,
}

impl Memory {
    /// Seals the files of a folder as they are: a new file is a memory, a changed one a new version of it, one that is gone is
    /// forgotten, and one under another path with the same content is moved. Nothing is written into the folder. The folder is known by
    /// its path or by `name`.
    ///
    /// Sealed are UTF-8 texts of at most 512 KiB; all else is named in `leftOut`, hidden entries are counted, and links are not followed.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when the folder cannot be read, has more than 2,000 files, or is the memory's own.
    pub async fn guard(&self, dir: &Path, name: Option<&str>) -> Result<Report, Error> {
        self.must_exist()?;
        let guarded = self.guarded_folder(dir, name)?;
        let mut tries = TRIES;
        loop {
            tries -= 1;
            match self.seal_folder(&guarded).await {
                // Another program was faster: what it sealed is there now.
                Err(error) if tries > 0 && is_late(error.store()) => {}
                done => return done,
            }
        }
    }

    /// Refuses a folder that [`guard`](Self::guard) refuses. Needs no store.
    ///
    /// # Errors
    /// As [`Memory::guard`].
    pub fn can_guard(&self, dir: &Path, name: Option<&str>) -> Result<(), Error> {
        self.guarded_folder(dir, name)?.read().map(drop)
    }

    /// Compares the files of a folder with their last seals. Writes nothing.
    ///
    /// [`Report::problem`] is of kind [`ErrorKind::Refused`](crate::ErrorKind::Refused) where they differ.
    ///
    /// # Errors
    /// As [`Memory::guard`]; also when nothing of the folder was sealed.
    pub async fn check_guarded(&self, dir: &Path, name: Option<&str>) -> Result<Report, Error> {
        self.must_exist()?;
        let guarded = self.guarded_folder(dir, name)?;
        let agent = self.home().agent_public()?;
        let store = self.whole().reader()?;
        let sealed = sealed_files(&store, &guarded.folder, agent).await?;
        if sealed.is_new() {
            return Err(Error::input(
                format_args!("nothing of {} was sealed in this scope", dir.display()),
                "run `counterfoil guard DIR` first, with the same --as and --scope",
            ));
        }
        let walked = guarded.read()?;
        let compared = compared(&sealed, &walked);
        let mut rows = Vec::with_capacity(compared.len());
        for one in &compared {
            rows.push(row(&store, (&sealed, &walked), one).await?);
        }
        let differ = u64::try_from(rows.len()).unwrap_or(u64::MAX);
        let problem = (differ > 0).then(|| {
            Error::refused(
                match differ {
                    1 => "1 file is not as it was sealed".to_owned(),
                    many => format!("{many} files are not as they were sealed"),
                },
                "look at what changed; `counterfoil guard DIR` seals the files as they are",
            )
        });
        Ok(guarded.report(&rows, &sealed, walked)?.but(problem))
    }

    /// Seals a folder, and again whenever its files have changed and are written no more, until the memory is interrupted or `each`
    /// breaks. `each` gets the first report and each one with a change.
    ///
    /// # Errors
    /// As [`Memory::guard`].
    pub async fn watch_guarded(
        &self,
        dir: &Path,
        name: Option<&str>,
        mut each: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        self.must_exist()?;
        let guarded = self.guarded_folder(dir, name)?;
        let (mut sealed, mut last) = (None, None);
        loop {
            let is_last = self.interruption().load(Ordering::Relaxed);
            let seen = guarded.signature()?;
            // A file that is being written is sealed when it rests.
            let rests = is_last || last == Some(seen) || sealed.is_none();
            if rests && sealed != Some(seen) {
                let report = self.guard(dir, name).await?;
                let changes = report.value().pointer("/changes");
                let is_changed =
                    changes.is_some_and(|it| it.as_array().is_some_and(|it| !it.is_empty()));
                if (is_changed || sealed.is_none()) && each(report).is_break() {
                    return Ok(());
                }
                sealed = Some(seen);
            }
            if is_last {
                return Ok(());
            }
            last = Some(seen);
            self.rest().await;
        }
    }

    /// Waits until the next look, or until Ctrl-C.
    async fn rest(&self) {
        let mut waited = Duration::ZERO;
        while waited < LOOK && !self.interruption().load(Ordering::Relaxed) {
            tokio::time::sleep(PATIENCE).await;
            waited += PATIENCE;
        }
    }

    fn guarded_folder(&self, dir: &Path, name: Option<&str>) -> Result<GuardedFolder, Error> {
        let root = dir
            .canonicalize()
            .map_err(|error| unreadable(dir, &error))?;
        if !root.is_dir() {
            return Err(Error::input(
                format_args!("{} is no folder", dir.display()),
                "name the folder that the file is in",
            ));
        }
        let own = self.home().dir();
        let own = match own.canonicalize() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => own.to_owned(),
            own_or => own_or.map_err(|error| unreadable(own, &error))?,
        };
        if root.starts_with(&own) {
            return Err(Error::input(
                format_args!("{} is the folder of the memory itself", dir.display()),
                "guard the folder of your own files",
            ));
        }
        let name = match name {
            Some(name) => Some(name),
            None => root.to_str(),
        };
        let is_name = |name: &&str| {
            (1..=MAX_NAME_BYTES).contains(&name.len()) && !name.contains(char::is_control)
        };
        let name = name.filter(is_name).ok_or_else(|| {
            Error::input(
                "the folder has no name of 1 to 1,024 bytes on one line",
                "give it one with --as",
            )
        })?;
        Ok(GuardedFolder {
            folder: Folder::new("guard", name.to_owned(), self.scope().clone()),
            root,
            own,
        })
    }

    async fn seal_folder(&self, guarded: &GuardedFolder) -> Result<Report, Error> {
        let whole = self.whole();
        let (agent, store) = (whole.signer()?.agent(), whole.writer()?);
        let sealed = sealed_files(&store, &guarded.folder, agent).await?;
        let walked = guarded.read()?;
        let compared = compared(&sealed, &walked);
        let (mut rows, mut writes, mut written_rows) = (Vec::new(), Vec::new(), Vec::new());
        for one in &compared {
            if let Some(write) = write_of(&sealed, &walked, one) {
                written_rows.push(rows.len());
                writes.push(write);
            }
            rows.push(row(&store, (&sealed, &walked), one).await?);
        }
        // Forgetting what is forgotten writes nothing, so what was broken off here is done again.
        for one in &compared {
            if let Difference::Removed { sealed: place } = one
                && let Some(file) = sealed.files.get(*place)
            {
                self.forget_file(file).await?;
            }
        }
        let written = whole.write_files(&guarded.folder, &sealed, &writes).await?;
        for (place, (id, seq)) in written_rows.into_iter().zip(written) {
            if let Some(row) = rows.get_mut(place) {
                (row.memory, row.seq) = (Some(id), Some(seq));
            }
        }
        drop(writes);
        guarded.report(&rows, &sealed, walked)
    }
}

impl GuardedFolder {
    /// The files as they are; those that do not fit into a memory are left out.
    fn read(&self) -> Result<Walked, Error> {
        let mut walked = folder::read(&self.root, &self.own)?;
        let takes = |file: &FoundFile| self.folder.takes(&file.path, &file.content);
        let (files, large) = walked.files.into_iter().partition(takes);
        walked.files = files;
        let large: Vec<FoundFile> = large;
        walked
            .left_out
            .extend(large.into_iter().map(|file| LeftOut {
                path: file.path,
                why: "above 1 MiB as JSON".to_owned(),
            }));
        Ok(walked)
    }

    fn signature(&self) -> Result<[u8; 32], Error> {
        folder::signature(&self.root, &self.own)
    }

    fn report(&self, rows: &[Row], sealed: &SealedFiles, walked: Walked) -> Result<Report, Error> {
        let differing = |row: &&Row| !["removed", "moved", "added"].contains(&row.change);
        let new = |row: &&Row| ["moved", "added"].contains(&row.change);
        let changed = rows
            .iter()
            .filter(differing)
            .filter(|row| row.why.is_none())
            .count();
        let unchanged = walked.files.len() - changed - rows.iter().filter(new).count();
        let last = sealed.files.iter().map(|file| file.sealed_at).max();
        Report::new(
            &object()
                .with("folder", self.folder.name())
                .with("files", walked.files.len())
                .with("unchanged", unchanged)
                .with("changes", rows)
                .with("leftOut", &walked.left_out)
                .with("hidden", walked.hidden)
                .with_some("lastSeal", last),
        )
    }
}

fn compared(sealed: &SealedFiles, walked: &Walked) -> Vec<Difference> {
    let known = sealed.files.iter().map(|file| File {
        path: &file.path,
        text: &file.text,
    });
    let found = walked.files.iter().map(|file| File {
        path: &file.path,
        text: &file.content.text,
    });
    let left_out = walked.left_out.iter().map(|it| it.path.as_str());
    let mut all = differences(
        &known.collect::<Vec<_>>(),
        &found.collect::<Vec<_>>(),
        &left_out.collect::<Vec<_>>(),
    );
    // The memory of a file that is gone was forgotten before.
    let is_forgotten = |place: &usize| sealed.files.get(*place).is_some_and(|it| it.is_forgotten);
    all.retain(|one| !matches!(one, Difference::Removed { sealed } if is_forgotten(sealed)));
    all
}

/// Version that a difference asks for.
fn write_of<'f>(
    sealed: &'f SealedFiles,
    walked: &Walked,
    difference: &Difference,
) -> Option<FileWrite<'f>> {
    let (known, found) = match difference {
        Difference::Added { found } => (None, found),
        Difference::Altered { sealed, found } | Difference::Moved { sealed, found } => {
            (Some(sealed), found)
        }
        Difference::LeftOut { .. } | Difference::Removed { .. } => return None,
    };
    let found = walked.files.get(*found)?;
    Some(FileWrite {
        file: known.and_then(|place| sealed.files.get(*place)),
        path: found.path.clone(),
        content: found.content.clone(),
    })
}

async fn row(
    store: &SqliteStore,
    (sealed, walked): (&SealedFiles, &Walked),
    difference: &Difference,
) -> Result<Row, Error> {
    let (change, known, found) = match difference {
        Difference::Added { found } => ("added", None, Some(found)),
        Difference::Altered { sealed, found } => ("altered", Some(sealed), Some(found)),
        Difference::LeftOut { sealed, .. } => ("altered", Some(sealed), None),
        Difference::Removed { sealed } => ("removed", Some(sealed), None),
        Difference::Moved { sealed, found } => ("moved", Some(sealed), Some(found)),
    };
    let known: Option<&SealedFile> = known.and_then(|place| sealed.files.get(*place));
    let found = found.and_then(|place| walked.files.get(*place));
    let path = found
        .map(|file| &file.path)
        .or(known.map(|file| &file.path));
    let same_as = match (change, known, found) {
        ("altered", Some(known), Some(found)) => {
            earlier_with(store, known, &found.content.text).await?
        }
        _ => None,
    };
    let why = match difference {
        Difference::LeftOut { left_out, .. } => walked.left_out.get(*left_out),
        _ => None,
    };
    Ok(Row {
        change: match same_as {
            Some(_) => "rolledBack",
            None => change,
        },
        path: path.cloned().unwrap_or_default(),
        from: known
            .filter(|_| change == "moved")
            .map(|file| file.path.clone()),
        why: why.map(|it| it.why.clone()),
        memory: known.map(|file| file.id.clone()),
        seq: known.map(|file| file.seq),
        same_as,
        sealed_at: known.map(|file| file.sealed_at),
        owner: found.and_then(|file| file.content.owner.clone()),
    })
}
