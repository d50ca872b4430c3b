//! The search by meaning on many Worlds, beside a scan of all vectors, and the share of the exact nearest that it finds.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use anyhow::Result;
use counterfoil_capsule::{World, remember};
use counterfoil_store::text_index::{TextIndex, TextQuery};
use counterfoil_store::vectors::{VectorIndex, VectorModel};
use counterfoil_types::{UnixMillis, WorldId};
use serde_json::json;

use crate::rig::Rig;

/// Dimensions of the vectors.
const DIMENSIONS: usize = 384;
/// Texts that the vectors lie around.
const CLUSTERS: usize = 3_000;
/// Distance of a vector from its text, in each dimension.
const NOISE: f32 = 0.035;
/// Number of questions.
const QUESTIONS: usize = 100;
/// Number of nearest vectors that are looked for.
const NEAREST: usize = 10;
/// Vectors of one batch.
const BATCH: usize = 1_024;

/// Times of one run, and the share that was found.
pub struct VectorTimes {
    /// Number of Worlds, each with a vector.
    pub worlds: usize,
    /// Time to add all vectors.
    pub adding: Duration,
    /// Growth of the database by them, in bytes.
    pub bytes: u64,
    /// The first search, which reads the sign bits.
    pub first: Duration,
    /// Growth of the resident memory by the first search, in bytes; 0 where the system does not tell.
    pub resident: u64,
    /// The search by meaning, for each question.
    pub search: Vec<Duration>,
    /// Cosines of all vectors in single precision, held in memory, for each question.
    pub exact: Vec<Duration>,
    /// Share of the exact nearest that was found.
    pub found: f64,
}

/// Fills a store with `worlds` made-up vectors around made-up texts, and asks for the nearest of others.
///
/// # Errors
/// When the store fails.
pub fn measure(worlds: usize) -> Result<VectorTimes> {
    let rig = Rig::new()?;
    let mut dice = Gauss(0x9E37_79B9_7F4A_7C15);
    let shared: Vec<f32> = dice.vector(1.0);
    let clusters: Vec<Vec<f32>> = (0..CLUSTERS)
        .map(|_| unit(sum(&shared, &dice.vector(1.5))))
        .collect();
    let near = |dice: &mut Gauss| {
        let at = usize::try_from(dice.roll() >> 16).unwrap_or_default() % CLUSTERS;
        let text = clusters.get(at).map_or(&[][..], Vec::as_slice);
        unit(sum(text, &dice.vector(NOISE)))
    };
    let made = (0..worlds).map(world).collect::<Result<Vec<World>>>()?;
    rig.fill(made)?;
    let before = std::fs::metadata(rig.database())?.len();
    let vectors: Vec<Vec<f32>> = (0..worlds).map(|_| near(&mut dice)).collect();
    let start = Instant::now();
    add(&rig, &vectors)?;
    let adding = start.elapsed();
    let questions: Vec<Vec<f32>> = (0..QUESTIONS).map(|_| near(&mut dice)).collect();
    let resident = resident();
    let start = Instant::now();
    search(&rig, &questions.first().cloned().unwrap_or_default())?;
    let mut times = VectorTimes {
        worlds,
        adding,
        bytes: std::fs::metadata(rig.database())?
            .len()
            .saturating_sub(before),
        first: start.elapsed(),
        resident: self::resident().saturating_sub(resident),
        search: Vec::new(),
        exact: Vec::new(),
        found: 0.0,
    };
    let mut found = 0;
    for question in &questions {
        let start = Instant::now();
        let searched = search(&rig, question)?;
        times.search.push(start.elapsed());
        let start = Instant::now();
        let exact = exact(&vectors, question);
        times.exact.push(start.elapsed());
        found += exact.intersection(&searched).count();
    }
    times.found = f64::from(u32::try_from(found)?) / f64::from(u32::try_from(NEAREST * QUESTIONS)?);
    Ok(times)
}

fn add(rig: &Rig, vectors: &[Vec<f32>]) -> Result<()> {
    let model = VectorModel {
        fingerprint: "bench".to_owned(),
        dimensions: DIMENSIONS,
    };
    let mut from = 0;
    loop {
        let page = rig.wait(rig.store.without_vector(from, BATCH))?;
        let Some((last, _)) = page.last() else {
            return Ok(());
        };
        from = last + 1;
        let own = |text: &str| {
            text.parse()
                .ok()
                .and_then(|at: usize| vectors.get(at).cloned())
        };
        let batch = page
            .iter()
            .filter_map(|(index, text)| Some((*index, own(text)?)));
        rig.wait(rig.store.add_vectors(&model, batch.collect()))?;
    }
}

/// The numbers of the Worlds that are found.
fn search(rig: &Rig, question: &[f32]) -> Result<HashSet<usize>> {
    let query = TextQuery::by_meaning(question.to_vec()).page(0, NEAREST);
    let hits = rig.wait(rig.store.search(&query))?;
    let number = |id: &WorldId| id.to_string().rsplit('-').next()?.parse().ok();
    Ok(hits
        .iter()
        .filter_map(|hit| number(&hit.world_id))
        .collect())
}

fn exact(vectors: &[Vec<f32>], question: &[f32]) -> HashSet<usize> {
    let mut all: Vec<(f32, usize)> = vectors
        .iter()
        .map(|vector| dot(vector, question))
        .zip(0..)
        .collect();
    let by_score = |one: &(f32, usize), other: &(f32, usize)| other.0.total_cmp(&one.0);
    if all.len() > NEAREST {
        all.select_nth_unstable_by(NEAREST, by_score);
    }
    all.into_iter().take(NEAREST).map(|(_, at)| at).collect()
}

/// A World whose text is its number.
fn world(number: usize) -> Result<World> {
    let id = WorldId::new(format!("world-{number:032}"))?;
    let created = UnixMillis::new(1_683_504_000_000 + u64::try_from(number)?)?;
    Ok(remember(id, created, json!(number.to_string()))?)
}

fn sum(one: &[f32], other: &[f32]) -> Vec<f32> {
    one.iter()
        .zip(other)
        .map(|(one, other)| one + other)
        .collect()
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    let pairs = one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0);
    for (one, other) in pairs {
        for ((sum, one), other) in sums.iter_mut().zip(one).zip(other) {
            *sum += one * other;
        }
    }
    sums.iter().sum()
}

fn unit(vector: Vec<f32>) -> Vec<f32> {
    let length = dot(&vector, &vector).sqrt();
    vector.into_iter().map(|it| it / length).collect()
}

/// Bytes of this process in memory, where `/proc` tells them.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| {
        line.trim()
            .trim_end_matches("kB")
            .trim()
            .parse::<u64>()
            .ok()
    });
    kib.unwrap_or_default() * 1024
}

/// A generator of normal numbers (xorshift, and the sum of twelve even ones).
struct Gauss(u64);

impl Gauss {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn vector(&mut self, deviation: f32) -> Vec<f32> {
        let mut normal = || {
            // Four numbers of 16 bits from each roll, twelve in all: their sum has a deviation of 1.
            let mut sum = -6.0_f32;
            for _ in 0..3 {
                let roll = self.roll().to_le_bytes();
                for part in roll.as_chunks().0 {
                    sum += f32::from(u16::from_le_bytes(*part)) / 65_536.0;
                }
            }
            sum * deviation
        };
        (0..DIMENSIONS).map(|_| normal()).collect()
    }
}
