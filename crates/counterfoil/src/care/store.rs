//! The store as a whole: its numbers, derived state made again, and a restored backup brought up to date.

use counterfoil_life::Life as _;
use std::fs;
use std::io::{self, BufReader};
use std::path::Path;

use counterfoil_sqlite::reconcile;
use counterfoil_store::open_plain;

use crate::error::Error;
use crate::files::unreadable;
use crate::import::capsule_lines;
use crate::memory::Memory;
use crate::report::{Report, object};

impl Memory {
    /// Throws derived state away and makes it again from the capsules; it must come out the same.
    ///
    /// # Errors
    /// The store cannot be written.
    pub async fn rebuild(&self) -> Result<Report, Error> {
        let (worlds, before, after) = self.writer()?.rebuild().await?;
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

    /// Numbers of memories, entries and bytes.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn stats(&self) -> Result<Report, Error> {
        let stats = self.reader()?.stats().await?;
        let mut wal = self.home().database().into_os_string();
        wal.push("-wal");
        let each = |bytes: u64| bytes.checked_div(stats.worlds);
        let parts = stats.tables.iter().map(|(name, bytes)| {
            object()
                .with("name", name)
                .with("bytes", bytes)
                .with_some("bytesPerMemory", each(*bytes))
        });
        Report::new(
            &object()
                .with("memories", stats.worlds)
                .with("entries", stats.entries)
                .with("agents", stats.agents)
                .with("chains", stats.chains)
                .with("fileBytes", stats.file_bytes)
                .with("walBytes", fs::metadata(wal).map_or(0, |found| found.len()))
                .with("freeBytes", stats.free_bytes)
                .with_some(
                    "bytesPerMemory",
                    each(stats.file_bytes.saturating_sub(stats.free_bytes)),
                )
                .with("parts", parts.collect::<Vec<_>>()),
        )
    }
}
