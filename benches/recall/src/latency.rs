//! How long recall takes on many Worlds, beside the bare FTS5 query and beside the proofs.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use counterfoil_capsule::World;
use counterfoil_selector::{MemorySelector, text_query};
use counterfoil_store::MemoryStore;
use counterfoil_store::text_index::TextIndex;
use counterfoil_types::{MemoryRef, Query, SelectionRequest, SelectionResult, UnixMillis, WorldId};
use counterfoil_words::index_terms;
use rusqlite::{Connection, OpenFlags};
use serde_json::json;

use crate::rig::{Rig, actor};

/// How many questions are asked.
const QUESTIONS: usize = 300;
/// How many words a question has.
const QUESTION_WORDS: usize = 4;
/// How many words a turn has.
const TURN_WORDS: usize = 18;
/// How many words the language has.
const VOCABULARY: usize = 20_000;
/// The most frequent words, which a question does without.
const FUNCTION_WORDS: usize = 30;
/// How many memories are recalled for a question.
const RECALLED: usize = 10;

/// What was measured. Every vector has one element per question.
pub struct Latency {
    /// How many Worlds the store holds.
    pub worlds: usize,
    /// How long it took to append them.
    pub filling: Duration,
    /// How large the database is, in bytes.
    pub database_bytes: u64,
    /// The FTS5 query alone, on a connection of its own.
    pub bare: Vec<Duration>,
    /// The index: the same query, and where the words were found.
    pub search: Vec<Duration>,
    /// Fetching the World of each result, with its receipt.
    pub fetches: Vec<Duration>,
    /// Proving each result and verifying the proof.
    pub proofs: Vec<Duration>,
    /// The whole of `select`.
    pub select: Vec<Duration>,
}

/// Fills a store with `worlds` made-up turns, and asks made-up questions.
///
/// # Errors
/// When the store fails.
pub fn measure(worlds: usize) -> Result<Latency> {
    let rig = Rig::new()?;
    let language = Language::new();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let made = (0..worlds).map(|place| turn(place, &language, &mut dice));
    let made = made.collect::<Result<Vec<World>>>()?;
    let start = Instant::now();
    rig.fill(made)?;
    let mut latency = Latency {
        worlds,
        filling: start.elapsed(),
        database_bytes: std::fs::metadata(rig.database())?.len(),
        bare: Vec::new(),
        search: Vec::new(),
        fetches: Vec::new(),
        proofs: Vec::new(),
        select: Vec::new(),
    };
    let bare = Bare::open(&rig)?;
    let latest = rig.latest()?;
    for _ in 0..QUESTIONS {
        latency.ask(&rig, &bare, &latest, &language.question(&mut dice))?;
    }
    Ok(latency)
}

impl Latency {
    fn ask(&mut self, rig: &Rig, bare: &Bare, latest: &WorldId, question: &str) -> Result<()> {
        let mut query = text_query(question)?.page(0, RECALLED);
        let terms: Vec<String> = query.terms().iter().map(|it| index_terms(it)).collect();
        let request = SelectionRequest::new(Query::new(question)?, latest.clone(), actor()?);
        self.bare.push(timed(|| bare.search(&terms))?.0);
        query.bound = Some(latest.clone());
        self.search
            .push(timed(|| Ok(rig.wait(rig.store.search(&query))?))?.0);
        let (time, result) = timed(|| {
            rig.wait(rig.selector.select(&request))
                .map_err(anyhow::Error::from_boxed)
        })?;
        self.select.push(time);
        let (time, fetched) = timed(|| fetch(rig, &result))?;
        self.fetches.push(time);
        self.proofs.push(timed(|| prove(rig, &fetched))?.0);
        Ok(())
    }
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

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(Duration, T)> {
    let start = Instant::now();
    let done = work()?;
    Ok((start.elapsed(), done))
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

    fn search(&self, words: &[String]) -> Result<Vec<i64>> {
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let mut statement = self.connection.prepare_cached(
            "SELECT rowid FROM text_index WHERE text_index MATCH ?1
             ORDER BY bm25(text_index, 1.0, 0.3, 0.1, 1.0) LIMIT 10",
        )?;
        let rows = statement.query_map([quoted.join(" OR ")], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// A turn in a conversation of 500, in sessions of 25, a minute after the one before.
fn turn(place: usize, language: &Language, dice: &mut Dice) -> Result<World> {
    let words: Vec<&str> = (0..TURN_WORDS).map(|_| language.word(dice)).collect();
    let at = 1_683_504_000_000 + 60_000 * u64::try_from(place)?;
    let data = json!({
        "kind": "turn",
        "speaker": if place.is_multiple_of(2) { "ada" } else { "bruno" },
        "text": words.join(" "),
        "source": {
            "format": "bench",
            "conversation": format!("c{}", place / 500),
            "session": (place % 500 / 25).to_string(),
            "position": place % 25,
        },
    });
    let id = WorldId::new(format!("world-{place:032}"))?;
    Ok(counterfoil_capsule::remember(
        id,
        UnixMillis::new(at)?,
        data,
    )?)
}

/// Made-up words; the n-th is drawn with a weight of 1/n (Zipf).
struct Language {
    words: Vec<String>,
    /// Weights summed up, in parts of 2^32.
    sums: Vec<u64>,
}

impl Language {
    fn new() -> Self {
        let words = (0..VOCABULARY).map(spelled).collect();
        let mut sum = 0;
        let sums = (1..).take(VOCABULARY).map(|rank: u64| {
            sum += (1 << 32) / rank;
            sum
        });
        Self {
            words,
            sums: sums.collect(),
        }
    }

    fn word(&self, dice: &mut Dice) -> &str {
        self.words.get(self.rank(dice)).map_or("", String::as_str)
    }

    fn rank(&self, dice: &mut Dice) -> usize {
        let total = self.sums.last().copied().unwrap_or(1);
        let drawn = dice.roll() % total;
        self.sums.partition_point(|sum| *sum <= drawn)
    }

    fn question(&self, dice: &mut Dice) -> String {
        let mut words: Vec<&str> = Vec::new();
        while words.len() < QUESTION_WORDS {
            let rank = self.rank(dice);
            if rank >= FUNCTION_WORDS {
                words.extend(self.words.get(rank).map(String::as_str));
            }
        }
        words.join(" ")
    }
}

/// A word of syllables that no two numbers share, and that no stemmer shortens.
fn spelled(number: usize) -> String {
    const SYLLABLES: [&str; 16] = [
        "ka", "lo", "mi", "tu", "ra", "no", "pi", "du", "sa", "vo", "ki", "mu", "ta", "ro", "ni",
        "bu",
    ];
    let digits = (0..4).map(|digit| (number >> (4 * digit)) % 16);
    let syllables: String = digits
        .filter_map(|digit| SYLLABLES.get(digit))
        .copied()
        .collect();
    format!("{syllables}x")
}

/// A generator of numbers (xorshift): the same turns and questions in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
