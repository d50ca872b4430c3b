//! How long recall takes on many Worlds, beside the bare FTS5 query and beside the proofs.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use counterfoil_capsule::World;
use counterfoil_selector::{MemorySelector, text_query};
use counterfoil_store::MemoryStore;
use counterfoil_store::text_index::{TextIndex, TextQuery};
use counterfoil_types::{MemoryRef, Query, SelectionRequest, SelectionResult, WorldId};
use counterfoil_words::forms;
use rusqlite::{Connection, OpenFlags};

use crate::copies::Copies;
use crate::rig::{Rig, actor};

/// How many questions are asked.
const QUESTIONS: usize = 300;
/// How many memories are recalled for a question.
const RECALLED: usize = 10;

/// Times of one store.
pub struct Latency {
    /// How many Worlds the store holds.
    pub worlds: usize,
    /// How long it took to append them.
    pub filling: Duration,
    /// How large the database is, in bytes.
    pub database_bytes: u64,
    /// The first search of the process.
    pub first: Duration,
    /// The FTS5 query alone, on a connection of its own.
    pub bare: Times,
    /// The index: the rows with their scores, and what they are weighed by.
    pub search: Times,
    /// Fetching the World of each result, with its receipt.
    pub fetches: Times,
    /// Proving each result and verifying the proof.
    pub proofs: Times,
    /// The whole of `select`.
    pub select: Times,
}

/// Times of one part.
#[derive(Default)]
pub struct Times {
    /// For each question.
    pub each: Vec<Duration>,
    /// Processor time of all, which does not depend on what else the machine does.
    pub used: Duration,
}

impl Times {
    fn add<T>(&mut self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let (used, start) = (used(), Instant::now());
        let done = work()?;
        self.each.push(start.elapsed());
        self.used += self::used().saturating_sub(used);
        Ok(done)
    }
}

/// Fills a store with `worlds` memories of `copies`, and asks questions.
///
/// # Errors
/// When the store fails.
pub fn measure(worlds: usize, copies: &Copies) -> Result<Latency> {
    let rig = Rig::new()?;
    let start = Instant::now();
    let mut failed = Ok(());
    let made = copies.worlds(worlds);
    rig.fill(made.map_while(|world| world.map_err(|error| failed = Err(error)).ok()))?;
    failed?;
    let filling = start.elapsed();
    let questions = copies.questions(QUESTIONS, worlds)?;
    let latest = rig.latest()?;
    let start = Instant::now();
    let query = text_query(questions.first().context("no questions")?)?;
    rig.wait(rig.store.search(&query))?;
    let mut latency = Latency {
        worlds,
        filling,
        database_bytes: std::fs::metadata(rig.database())?.len(),
        first: start.elapsed(),
        bare: Times::default(),
        search: Times::default(),
        fetches: Times::default(),
        proofs: Times::default(),
        select: Times::default(),
    };
    let bare = Bare::open(&rig)?;
    // Not one after the other for the same question: its rows would be held from the first.
    for question in &questions {
        latency.recall(&rig, &latest, question)?;
    }
    for question in &questions {
        latency.search(&rig, &bare, &latest, question)?;
    }
    Ok(latency)
}

impl Latency {
    fn search(&mut self, rig: &Rig, bare: &Bare, latest: &WorldId, question: &str) -> Result<()> {
        let mut query = text_query(question)?.page(0, RECALLED);
        self.bare.add(|| bare.search(&query))?;
        query.bound = Some(latest.clone());
        self.search
            .add(|| Ok(rig.wait(rig.store.search(&query))?))?;
        Ok(())
    }

    fn recall(&mut self, rig: &Rig, latest: &WorldId, question: &str) -> Result<()> {
        let request = SelectionRequest::new(Query::new(question)?, latest.clone(), actor()?);
        let result = self.select.add(|| {
            rig.wait(rig.selector.select(&request))
                .map_err(anyhow::Error::from_boxed)
        })?;
        let fetched = self.fetches.add(|| fetch(rig, &result))?;
        self.proofs.add(|| prove(rig, &fetched))
    }
}

/// Processor time of this process so far, where `/proc` tells it.
fn used() -> Duration {
    // The system counts this thread's time up to its last pause.
    std::thread::yield_now();
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let nanos = threads.flatten().filter_map(|thread| {
        let stat = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        stat.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanos.sum())
}

fn fetch(rig: &Rig, result: &SelectionResult) -> Result<Vec<(MemoryRef, World)>> {
    let fetch = |memory_ref: &MemoryRef| {
        let world = rig
            .wait(rig.store.get(memory_ref.world_id()))
            .map_err(anyhow::Error::from_boxed)?;
        Ok((memory_ref.clone(), world.context("a World is gone")?))
    };
    result
        .selected()
        .iter()
        .map(|memory| fetch(memory.memory_ref()))
        .collect()
}

fn prove(rig: &Rig, fetched: &[(MemoryRef, World)]) -> Result<()> {
    for (memory_ref, world) in fetched {
        let proof = rig
            .prover
            .prove(memory_ref, world)
            .into_proof()
            .context("not proven")?;
        anyhow::ensure!(rig.prover.verify_proof(&proof), "not verified");
    }
    Ok(())
}

/// The same ranked query, with nothing around it.
struct Bare {
    connection: Connection,
}

impl Bare {
    fn open(rig: &Rig) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        Ok(Self {
            connection: Connection::open_with_flags(rig.database(), flags)?,
        })
    }

    fn search(&self, query: &TextQuery) -> Result<Vec<i64>> {
        let terms = query.terms().iter();
        let forms = terms.flat_map(|term| forms(term, &query.languages));
        let quoted: Vec<String> = forms
            .map(|form| format!("\"{}\"", form.terms.join(" ")))
            .collect();
        let mut statement = self.connection.prepare_cached(
            "SELECT rowid FROM text_index WHERE text_index MATCH ?1
             ORDER BY bm25(text_index, 1.0, 0.5, 0.25, 1.0) LIMIT 10",
        )?;
        let rows = statement.query_map([quoted.join(" OR ")], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
