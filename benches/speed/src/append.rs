//! Appending, beside raw SQLite insertion of the same rows with the same durability.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use counterfoil_capsule::Signer;
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::{CapsuleLog, Draft};
use counterfoil_types::DidKey;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::log::{agent, log_signer, seal, world};
use crate::measure::{alternate, heading, line, median, micros, ratio, time};

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
    let store = create(&folder.path().join("batches"))?;
    let ours = runtime.block_on(batches(&store, Arc::new(agent())))?;
    let unsigned = create(&folder.path().join("unsigned"))?;
    let unsigned = runtime.block_on(batches(&unsigned, Arc::new(FreeSigner(agent().agent()))))?;
    let raw = |tables: Tables, name: &str| {
        raw_batches(
            &folder.path().join("batches"),
            &folder.path().join(name),
            tables,
        )
    };
    let (bare, same) = (raw(Tables::Bare, "bare.db")?, raw(Tables::Same, "same.db")?);
    let one = runtime.block_on(singles(create(&folder.path().join("one"))?, 1))?;
    let many = runtime.block_on(singles(create(&folder.path().join("many"))?, WRITERS))?;

    heading("append: SQLite, WAL, synchronous=FULL, full-text index in the same transaction");
    line(
        "sealing one World, its signature included",
        format!("{:.1} µs", micros(sealed)),
        "",
    );
    line("  its signature", format!("{:.1} µs", micros(signed)), "");
    line(
        "raw insertion of the same rows, batch of 256",
        rate(BATCH, same),
        "",
    );
    line(
        "  without triggers, constraints and secure_delete",
        rate(BATCH, bare),
        "",
    );
    line("append, batch of 256", rate(BATCH, ours), "");
    line("  its signatures for free", rate(BATCH, unsigned), "");
    line(
        "  against raw insertion",
        format!("{:.0} %", 100.0 * ratio(same, unsigned)),
        "at least 60 %",
    );
    line("one World a call, 1 writer", rate(SINGLES, one), "");
    line("one World a call, 16 writers", rate(SINGLES, many), "");
    line(
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

fn create(folder: &Path) -> Result<Arc<SqliteStore>> {
    std::fs::create_dir_all(folder)?;
    let options = Options::writable(
        folder.join("memory.db"),
        log_signer()?,
        folder.join("last-checkpoint"),
    );
    Ok(Arc::new(SqliteStore::create(options)?))
}

/// The median time of a batch, the first two left out.
async fn batches(store: &SqliteStore, signer: Arc<dyn Signer>) -> Result<Duration> {
    let mut samples = Vec::new();
    for batch in 0..BATCHES {
        let drafts = (batch * BATCH..(batch + 1) * BATCH)
            .map(|number| world(number).map(Draft::new))
            .collect::<Result<Vec<_>>>()?;
        let start = std::time::Instant::now();
        let appended = store.append(Arc::clone(&signer), drafts).await?;
        samples.push(start.elapsed());
        ensure!(appended.len() == 256, "a batch of 256 has 256 receipts");
    }
    Ok(median(samples.split_off(2)))
}

/// The time that `writers` tasks need for `SINGLES` appends of one World each.
async fn singles(store: Arc<SqliteStore>, writers: u64) -> Result<Duration> {
    let start = std::time::Instant::now();
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

/// The tables that a batch fills, with the columns of each; the full-text index is contentless,
/// so its row is made from what it was made from.
const TABLES: [(&str, &str, &str); 7] = [
    (
        "capsule",
        "SELECT * FROM capsule WHERE idx BETWEEN ?1 AND ?2",
        "INSERT INTO capsule VALUES (?,?,?,?,?)",
    ),
    (
        "body",
        "SELECT * FROM body WHERE idx BETWEEN ?1 AND ?2",
        "INSERT INTO body VALUES (?,?,?,?,?)",
    ),
    (
        "log",
        "SELECT * FROM log WHERE idx BETWEEN ?1 AND ?2",
        "INSERT INTO log VALUES (?,?)",
    ),
    (
        "world",
        "SELECT * FROM world WHERE idx BETWEEN ?1 AND ?2",
        "INSERT INTO world VALUES (?,?)",
    ),
    (
        "chain",
        "SELECT * FROM chain WHERE idx BETWEEN ?1 AND ?2",
        "INSERT INTO chain VALUES (?,?,?)",
    ),
    (
        "text_turns",
        "SELECT * FROM text_turns WHERE idx BETWEEN ?1 AND ?2",
        "INSERT INTO text_turns VALUES (?,?,?,?,?,?)",
    ),
    (
        "text_index",
        "SELECT idx, body, dated FROM text_turns WHERE idx BETWEEN ?1 AND ?2",
        "INSERT INTO text_index (rowid, turn, date) VALUES (?,?,?)",
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

/// Inserts the rows of each batch, read beforehand, in one transaction of prepared statements.
fn raw_batches(from: &Path, to: &Path, tables: Tables) -> Result<Duration> {
    let source = Connection::open(from.join("memory.db"))?;
    let mut target = Connection::open(to)?;
    same_schema(&source, &target, tables)?;
    let mut samples = Vec::new();
    for batch in 0..BATCHES {
        let rows = rows_of(&source, batch)?;
        let (spent, done) = time(|| insert(&mut target, &rows));
        done?;
        samples.push(spent);
    }
    Ok(median(samples.split_off(2)))
}

fn same_schema(source: &Connection, target: &Connection, tables: Tables) -> Result<()> {
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
    Ok(())
}

type Rows = Vec<(&'static str, Vec<Vec<Value>>)>;

fn rows_of(source: &Connection, batch: u64) -> Result<Rows> {
    let mut all = Vec::new();
    for (_, select, insert) in TABLES {
        let mut statement = source.prepare(select)?;
        let columns = statement.column_count();
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
