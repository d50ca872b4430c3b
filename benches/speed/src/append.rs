//! Appending, beside raw SQLite insertion of the same rows with the same durability.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use counterfoil_capsule::Signer;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog, Draft};
use counterfoil_types::DidKey;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::log::{agent, new_store, seal, world};
use crate::measure::{aimed, alternate, heading, line, median, ratio, time, us};

const BATCH: u64 = 256;
const BATCHES: u64 = 24;
const WRITERS: u64 = 16;
/// Appends of one World each, over all writers together.
const SINGLES: u64 = 480;

pub(crate) fn report() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .build()?;
    let [sealed, signed] = sealing_cost();
    let batches = runtime.block_on(batches(folder.path()))?;
    let one = runtime.block_on(singles(new_store(&folder.path().join("one"))?, 1))?;
    let many = runtime.block_on(singles(new_store(&folder.path().join("many"))?, WRITERS))?;

    heading("append: SQLite, WAL, synchronous=FULL, full-text index in the same transaction");
    line("sealing one World, its signature included", us(sealed));
    line("  its signature", us(signed));
    line(
        "raw insertion of the same rows, batch of 256",
        rate(BATCH, batches.same),
    );
    line(
        "  without triggers, constraints and secure_delete",
        rate(BATCH, batches.bare),
    );
    line("append, batch of 256", rate(BATCH, batches.signed));
    line("  its signatures for free", rate(BATCH, batches.free));
    aimed(
        "  against raw insertion",
        format!("{:.0} %", 100.0 * ratio(batches.same, batches.free)),
        "at least 60 %",
    );
    let beside = sealed.saturating_sub(signed) + batches.free.saturating_sub(batches.same) / 256;
    aimed(
        "a capsule in a batch of 256, beside signature and rows",
        us(beside),
        "at most 60 µs",
    );
    line("one World a call, 1 writer", rate(SINGLES, one));
    line("one World a call, 16 writers", rate(SINGLES, many));
    aimed(
        "  against one writer",
        format!("{:.1} x", ratio(one, many)),
        "at least 2",
    );
    Ok(())
}

fn rate(entries: u64, spent: Duration) -> String {
    let entries = u32::try_from(entries).map_or(f64::NAN, f64::from);
    format!("{:.0} /s", entries / spent.as_secs_f64())
}

/// What it costs to seal one World, and what its signature alone costs.
fn sealing_cost() -> [Duration; 2] {
    let (agent, entry) = (agent(), [b'e'; 330]);
    let sealing = || assert!(black_box(seal(1, &agent)).is_ok(), "the bench's own World");
    let signing = || {
        assert!(
            black_box(agent.sign(&entry)).len() == 64,
            "an Ed25519 signature"
        )
    };
    alternate(21, 50, [&mut { sealing }, &mut { signing }])
}

/// Signs with zeros, so that the rest of an append can be measured by itself.
struct FreeSigner(DidKey);

impl Signer for FreeSigner {
    fn agent(&self) -> DidKey {
        self.0
    }

    fn sign(&self, _message: &[u8]) -> [u8; 64] {
        [0; 64]
    }
}

/// Median times of a batch.
struct Batches {
    /// Appended.
    signed: Duration,
    /// Appended with a free signature.
    free: Duration,
    /// The same rows, inserted into the same tables.
    same: Duration,
    /// The same rows, inserted into tables that check nothing.
    bare: Duration,
}

/// The four in turn, batch by batch, the first two batches left out.
async fn batches(folder: &Path) -> Result<Batches> {
    let (signed, free) = (
        new_store(&folder.join("signed"))?,
        new_store(&folder.join("free"))?,
    );
    let signers: [Arc<dyn Signer>; 2] = [Arc::new(agent()), Arc::new(FreeSigner(agent().agent()))];
    let source = Connection::open(folder.join("free/memory.db"))?;
    let mut same = target(&source, &folder.join("same.db"), Tables::Same)?;
    let mut bare = target(&source, &folder.join("bare.db"), Tables::Bare)?;
    let mut samples = [const { Vec::new() }; 4];
    for batch in 0..BATCHES {
        let [with_signature, without] = signers.clone();
        let spent = [
            append(&signed, with_signature, batch).await?,
            append(&free, without, batch).await?,
        ];
        let rows = rows_of(&source, batch)?;
        let raw = [&mut same, &mut bare].map(|target| time(|| insert(target, &rows)));
        for (samples, spent) in samples.iter_mut().zip(spent) {
            samples.push(spent);
        }
        for (samples, (spent, done)) in samples.iter_mut().skip(2).zip(raw) {
            done?;
            samples.push(spent);
        }
    }
    let [signed, free, same, bare] = samples.map(|mut samples| median(samples.split_off(2)));
    Ok(Batches {
        signed,
        free,
        same,
        bare,
    })
}

async fn append(store: &SqliteStore, signer: Arc<dyn Signer>, batch: u64) -> Result<Duration> {
    let drafts = (batch * BATCH..(batch + 1) * BATCH)
        .map(|number| world(number).map(Draft::new))
        .collect::<Result<Vec<_>>>()?;
    let start = std::time::Instant::now();
    let appended = store.append(signer, drafts).await?;
    let spent = start.elapsed();
    ensure!(appended.len() == 256, "a batch of 256 has 256 receipts");
    Ok(spent)
}

/// The time that `writers` tasks need for `SINGLES` appends of one World each.
async fn singles(store: SqliteStore, writers: u64) -> Result<Duration> {
    let (store, start) = (Arc::new(store), std::time::Instant::now());
    let mut tasks = Vec::new();
    for writer in 0..writers {
        let store = Arc::clone(&store);
        tasks.push(tokio::spawn(async move {
            let signer: Arc<dyn Signer> = Arc::new(agent());
            for number in 0..SINGLES / writers {
                let draft = Draft::new(world(writer * SINGLES + number)?);
                store.append(Arc::clone(&signer), vec![draft]).await?;
            }
            anyhow::Ok(())
        }));
    }
    for task in tasks {
        task.await??;
    }
    Ok(start.elapsed())
}

/// The tables that a batch fills, with the number of columns of each. The full-text index is contentless, so its row is
/// made from the columns that it was made from.
const TABLES: [(&str, &str, usize); 7] = [
    ("capsule", "* FROM capsule", 6),
    ("body", "* FROM body", 5),
    ("log", "* FROM log", 2),
    ("world", "* FROM world", 2),
    ("chain", "* FROM chain", 4),
    ("text_turns", "* FROM text_turns", 7),
    (
        "text_index (rowid, turn, date)",
        "idx, body, dated FROM text_turns",
        3,
    ),
];

/// What the raw insertion is checked against.
#[derive(Clone, Copy, PartialEq)]
enum Tables {
    /// Tables and indexes alone.
    Bare,
    /// Triggers, foreign keys and settings too, as in the store.
    Same,
}

/// An empty database with the tables of `source`.
fn target(source: &Connection, path: &Path, tables: Tables) -> Result<Connection> {
    let target = Connection::open(path)?;
    target.pragma_update(None, "journal_mode", "WAL")?;
    target.pragma_update(None, "synchronous", "FULL")?;
    for setting in [
        "foreign_keys",
        "recursive_triggers",
        "secure_delete",
        "cell_size_check",
    ] {
        target.pragma_update(None, setting, tables == Tables::Same)?;
    }
    let mut statements = source.prepare(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND (type <> 'trigger' OR ?1)
         AND name NOT LIKE 'text_index_%' AND name NOT LIKE 'sqlite_%'",
    )?;
    for sql in statements.query_map([tables == Tables::Same], |row| row.get::<_, String>(0))? {
        target.execute_batch(&sql?)?;
    }
    Ok(target)
}

type Rows = Vec<(String, Vec<Vec<Value>>)>;

fn rows_of(source: &Connection, batch: u64) -> Result<Rows> {
    let mut all = Vec::new();
    for (table, selected, columns) in TABLES {
        let select = format!("SELECT {selected} WHERE idx BETWEEN ?1 AND ?2");
        let insert = format!(
            "INSERT INTO {table} VALUES ({})",
            vec!["?"; columns].join(",")
        );
        let mut statement = source.prepare(&select)?;
        let range = [
            i64::try_from(batch * BATCH)?,
            i64::try_from((batch + 1) * BATCH - 1)?,
        ];
        let rows =
            statement.query_map(range, |row| (0..columns).map(|at| row.get(at)).collect())?;
        all.push((insert, rows.collect::<rusqlite::Result<Vec<Vec<Value>>>>()?));
    }
    Ok(all)
}

/// Inserts the rows of a batch, read beforehand, in one transaction of prepared statements.
fn insert(target: &mut Connection, rows: &Rows) -> Result<()> {
    let transaction = target.transaction()?;
    for (sql, rows) in rows {
        let mut statement = transaction.prepare_cached(sql)?;
        for row in rows {
            statement.execute(params_from_iter(row))?;
        }
    }
    Ok(transaction.commit()?)
}
