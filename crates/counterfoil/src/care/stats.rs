//! Statistics: how much there is, and what each part of it takes on disk.

use std::fs;
use std::path::Path;

use counterfoil_sqlite::Stats;
use serde::Serialize;

use crate::error::Error;
use crate::memory::Memory;
use crate::report::Report;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Counted {
    memories: u64,
    /// Entries of the log: memories, their versions, and records.
    entries: u64,
    agents: u64,
    chains: u64,
    file_bytes: u64,
    wal_bytes: u64,
    free_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_per_memory: Option<u64>,
    parts: Vec<Part>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    name: String,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_per_memory: Option<u64>,
}

impl Memory {
    /// Numbers of memories, entries and bytes.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn stats(&self) -> Result<Report, Error> {
        let stats = self.reader()?.stats().await?;
        Report::new(&Counted::new(stats, wal_bytes(&self.home().database())))
    }
}

impl Counted {
    fn new(stats: Stats, wal_bytes: u64) -> Self {
        let each = |bytes: u64| bytes.checked_div(stats.worlds);
        Self {
            memories: stats.worlds,
            entries: stats.entries,
            agents: stats.agents,
            chains: stats.chains,
            file_bytes: stats.file_bytes,
            wal_bytes,
            free_bytes: stats.free_bytes,
            bytes_per_memory: each(stats.file_bytes.saturating_sub(stats.free_bytes)),
            parts: stats
                .tables
                .iter()
                .map(|part| Part {
                    name: part.0.clone(),
                    bytes: part.1,
                    bytes_per_memory: each(part.1),
                })
                .collect(),
        }
    }
}

fn wal_bytes(database: &Path) -> u64 {
    let mut wal = database.as_os_str().to_owned();
    wal.push("-wal");
    fs::metadata(wal).map_or(0, |found| found.len())
}
