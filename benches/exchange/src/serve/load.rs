//! Asks over many connections, and takes down how long each answer took.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};

use super::wire::Line;
use crate::answer::MEMORIES;

/// How one memory of an answer begins in its bytes.
const RESULT: &[u8] = b"\"memory_id\":";

/// How fast is asked.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pace {
    /// Each connection as soon as it has its answer.
    AsAnswered,
    /// So many a second, answered or not: what waits for its turn waits from when it should have been asked.
    Each(f64),
}

/// What is asked.
pub(super) struct Load<'a> {
    pub(super) to: SocketAddr,
    pub(super) from: IpAddr,
    pub(super) connections: usize,
    pub(super) pace: Pace,
    pub(super) time: Duration,
    /// Signed before, each asked once.
    pub(super) requests: &'a [Vec<u8>],
    /// When there are no more, from the first again.
    pub(super) again: bool,
}

/// What came back.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// How long each answer took, the shortest first.
    pub(super) times: Vec<Duration>,
    pub(super) refused: usize,
    pub(super) results: usize,
    /// How many had fewer results than were asked for.
    pub(super) short: usize,
    pub(super) took: Duration,
}

impl Load<'_> {
    pub(super) fn run(&self) -> Result<Seen> {
        let next = AtomicUsize::new(0);
        let began = Instant::now();
        let mut all = thread::scope(|scope| {
            let lines: Vec<_> = (0..self.connections)
                .map(|_| scope.spawn(|| self.line(&next, began)))
                .collect();
            let mut all = Seen::default();
            for line in lines {
                all.add(
                    line.join()
                        .map_err(|_| anyhow!("a connection's thread"))??,
                );
            }
            Ok::<_, anyhow::Error>(all)
        })?;
        all.took = began.elapsed();
        all.times.sort_unstable();
        Ok(all)
    }

    fn line(&self, next: &AtomicUsize, began: Instant) -> Result<Seen> {
        let mut line = Line::open(self.to, self.from)?;
        let mut seen = Seen::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let due = match self.pace {
                Pace::AsAnswered => began.elapsed(),
                Pace::Each(a_second) => {
                    Duration::from_secs_f64(f64::from(u32::try_from(number)?) / a_second)
                }
            };
            let at = if self.again {
                number % self.requests.len()
            } else {
                number
            };
            let Some(request) = self.requests.get(at).filter(|_| due < self.time) else {
                return Ok(seen);
            };
            thread::sleep((began + due).saturating_duration_since(Instant::now()));
            let status = line.ask(request).context("asking")?;
            if status == 200 {
                let body = line.body();
                let found = body.windows(RESULT.len()).filter(|bytes| *bytes == RESULT);
                let found = found.count();
                seen.times.push(began.elapsed().saturating_sub(due));
                seen.results += found;
                seen.short += usize::from(found < MEMORIES);
            } else {
                seen.refused += 1;
            }
        }
    }
}

impl Seen {
    fn add(&mut self, other: Self) {
        self.times.extend(other.times);
        self.refused += other.refused;
        self.results += other.results;
        self.short += other.short;
    }

    pub(super) fn quantile(&self, part: f64) -> Duration {
        #[expect(
            clippy::as_conversions,
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a place among a few thousand"
        )]
        let at = (self.times.len() as f64 * part) as usize;
        let last = self.times.last().copied().unwrap_or_default();
        self.times.get(at).copied().unwrap_or(last)
    }

    pub(super) fn a_second(&self, count: usize) -> f64 {
        f64::from(u32::try_from(count).unwrap_or(u32::MAX)) / self.took.as_secs_f64()
    }
}

/// What a process has used of processors, in steps of 10 ms; zero where the system does not say.
pub(super) fn used(process: u32) -> Duration {
    let ticks = || -> Option<u64> {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let (_, fields) = stat.rsplit_once(')')?;
        let fields = fields.split_whitespace().skip(11).take(2);
        fields.map(|ticks| ticks.parse::<u64>().ok()).sum()
    };
    Duration::from_millis(ticks().unwrap_or_default() * 10)
}
