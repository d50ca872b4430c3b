//! The store as a whole: its numbers, derived state made again, and a restored backup brought up to date.

use counterfoil_life::{Life as _, beside};
use std::fs;
use std::io::{self, BufReader};
use std::path::Path;

use counterfoil_sqlite::{Stats, reconcile};
use counterfoil_store::open_plain;
use serde::Serialize;

use crate::claims::{BeliefQuery, Beliefs};
use crate::error::Error;
use crate::files::unreadable;
use crate::import::capsule_lines;
use crate::memory::Memory;
use crate::report::{Report, object};
use crate::when;

impl Memory {
    /// Throws derived state away and makes it again from the capsules; it must come out the same.
    ///
    /// # Errors
    /// The store cannot be written.
    pub async fn rebuild(&self) -> Result<Report, Error> {
        let progress = self.progress().cloned();
        let each = Box::new(move |done, all| {
            if let Some(progress) = &progress {
                progress(done, Some((done, all)));
            }
        });
        let (worlds, before, after) = self.writer()?.rebuild_with(each).await?;
        Report::new(
            &object()
                .with("worlds", worlds)
                .with("before", before)
                .with("after", after)
                .with("identical", before == Some(after)),
        )
    }

    /// Gives a restored backup the entries back that were signed after it, from an export of the whole log (capsules
    /// 4.5 (3), C42). Without one, for a store to which nothing is missing: one that followed another may then be written.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when the file cannot be read or does not continue the log.
    pub async fn reconcile(&self, export: Option<&Path>) -> Result<Report, Error> {
        self.must_be_unbound()?;
        self.must_exist()?;
        let open = |path| open_plain(path).map_err(|error| unreadable(path, &error));
        let file = export.map(open).transpose()?;
        let lines = file.map(|file| capsule_lines(BufReader::new(file)));
        let lines = lines.into_iter().flatten().map(|line| {
            let bytes = line?.1;
            bytes.map_err(|bytes| io::Error::other(format!("it is {bytes} bytes long")))
        });
        let home = self.home();
        let (added, erased) = reconcile(&home.writable()?, home.agent_public()?, lines)?;
        Report::new(
            &object()
                .with("before", added.start)
                .with("after", added.end)
                .with("added", added.end.saturating_sub(added.start))
                .with("erased", erased),
        )
    }

    /// Numbers of a person's things: memories and their versions, facts and statements about them, contested beliefs, other agents,
    /// bytes on disk, and how far each backup is; `deep` adds those of the database and its tables.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn stats(&self, deep: bool) -> Result<Report, Error> {
        let stats = self.reader()?.stats().await?;
        let (contested, peers, notice) = match self.counted_beside().await {
            Ok((contested, peers)) => (Some(contested), Some(peers), None),
            // What is damaged is not a reason to count nothing.
            Err(error) => {
                let notice = format!("contested beliefs and other agents are not counted: {error}");
                (None, None, Some(notice))
            }
        };
        let more = contested.as_ref().map(|it| it.more == Some(true));
        let contested_count = contested.map(|it| it.beliefs.len());
        let backups = stats.shipped.iter().map(|(folder, size)| {
            object()
                .with("folder", folder)
                .with("behind", stats.entries.saturating_sub(*size))
        });
        let numbers = object()
            .with("memories", stats.memories)
            .with("versions", stats.worlds.saturating_sub(stats.statements))
            .with("facts", stats.facts)
            .with("statements", stats.statements)
            .with_some("contested", contested_count)
            .with_some("moreContested", more.filter(|more| *more))
            .with_some("peers", peers)
            .with("bytes", self.bytes_on_disk())
            .with_some("lastWritten", stats.last_us.map(when::rfc3339))
            .with("backups", backups.collect::<Vec<_>>())
            .with("dir", self.home().dir().display().to_string());
        let database = deep.then(|| database(&stats, self.wal_bytes()));
        let numbers = numbers.with_some("database", database);
        Ok(Report::new(&numbers)?.noticed(notice))
    }

    /// Contested beliefs, and the number of other agents.
    async fn counted_beside(&self) -> Result<(Beliefs, usize), Error> {
        let all = BeliefQuery::default();
        let contested = self.contested(&all, MOST_CONTESTED).await?;
        Ok((contested, self.trust_records().await?.known().len()))
    }

    fn wal_bytes(&self) -> u64 {
        size_of(&beside(&self.home().database(), "-wal"))
    }

    /// Bytes of the databases, with the files beside them, and of archive segments.
    fn bytes_on_disk(&self) -> u64 {
        let home = self.home();
        let content_keys = home.keys().join("content-keys.db");
        let files = [home.database(), home.index(), content_keys];
        let files = files.iter();
        let databases = files.flat_map(|path| ["", "-wal", "-shm"].map(|it| beside(path, it)));
        let segments = fs::read_dir(home.archive()).into_iter().flatten();
        let segments = segments.flatten().map(|entry| entry.path());
        databases.chain(segments).map(|path| size_of(&path)).sum()
    }
}

/// Most contested beliefs that are counted.
const MOST_CONTESTED: usize = 1000;

fn size_of(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |found| found.len())
}

/// Numbers of the database, and bytes of its tables.
fn database(stats: &Stats, wal_bytes: u64) -> impl Serialize {
    let each = |bytes: u64| bytes.checked_div(stats.worlds);
    let parts = stats.tables.iter().map(|(name, bytes)| {
        object()
            .with("name", name)
            .with("bytes", bytes)
            .with_some("bytesPerMemory", each(*bytes))
    });
    object()
        .with("entries", stats.entries)
        .with("agents", stats.agents)
        .with("chains", stats.chains)
        .with("fileBytes", stats.file_bytes)
        .with("walBytes", wal_bytes)
        .with("freeBytes", stats.free_bytes)
        .with_some(
            "bytesPerMemory",
            each(stats.file_bytes.saturating_sub(stats.free_bytes)),
        )
        .with("parts", parts.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::CheckOptions;

    /// Long work said how much was done, and not how much there was to do.
    #[tokio::test]
    async fn rebuild_and_check_report_parts_of_a_known_whole() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("memory");
        let memory = Memory::create(&dir).await.unwrap();
        for number in 0..3 {
            memory.remember(format!("note {number}")).await.unwrap();
        }
        drop(memory);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let shown = Arc::clone(&seen);
        let memory = Memory::builder(&dir)
            .progress(move |_, part| shown.lock().unwrap().push(part.unwrap()))
            .build();
        memory.rebuild().await.unwrap();
        let size = memory.stats(true).await.unwrap();
        let size = size.number("/database/entries").unwrap();
        assert_eq!(std::mem::take(&mut *seen.lock().unwrap()), [(size, size)]);
        for deep in [false, true] {
            let options = CheckOptions {
                deep,
                ..CheckOptions::default()
            };
            memory.check(options).await.unwrap();
            // Each entry is read by itself, and compared with what is stored.
            let expected: Vec<_> = (1..=2 * size).map(|done| (done, 2 * size)).collect();
            assert_eq!(std::mem::take(&mut *seen.lock().unwrap()), expected);
        }
    }
}
