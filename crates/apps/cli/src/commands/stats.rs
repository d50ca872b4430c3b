//! `stats`: how much there is, and what each part of it takes on disk.

use std::fs;
use std::path::Path;

use counterfoil_sqlite::Stats;
use counterfoil_verify::terminal;
use serde::Serialize;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{pairs, table, write_table};

/// The most characters of a table's name.
const NAME_LIMIT: usize = 64;

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

pub(crate) async fn run(context: &Context) -> Result<(), Failure> {
    let store = context.home.reader()?;
    let counted = Counted::new(store.stats().await?, wal_bytes(&context.home.database()));
    context.out.answer(&counted, |out| {
        pairs(
            out,
            &[
                ("memories", counted.memories.to_string()),
                ("log entries", counted.entries.to_string()),
                ("agents", counted.agents.to_string()),
                ("chains", counted.chains.to_string()),
                ("file", bytes(counted.file_bytes)),
                ("of it free", bytes(counted.free_bytes)),
                ("write-ahead log", bytes(counted.wal_bytes)),
                (
                    "per memory",
                    counted
                        .bytes_per_memory
                        .map_or_else(|| "-".to_owned(), bytes),
                ),
            ],
        )?;
        if counted.parts.is_empty() {
            return Ok(());
        }
        let mut parts = table(&["part", "bytes", "per memory"]);
        for part in &counted.parts {
            let each = part
                .bytes_per_memory
                .map_or_else(|| "-".to_owned(), |it| it.to_string());
            parts.add_row([
                terminal::plain(&part.name, NAME_LIMIT),
                part.bytes.to_string(),
                each,
            ]);
        }
        writeln!(out)?;
        write_table(out, &parts)
    })
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
                .map(|(name, bytes)| Part {
                    name: name.clone(),
                    bytes: *bytes,
                    bytes_per_memory: each(*bytes),
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

fn bytes(number: u64) -> String {
    format!("{number} bytes")
}
