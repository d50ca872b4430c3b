//! Medians of alternating rounds: what is compared is run in turn, so that a machine that slows
//! down slows down both.

use std::time::{Duration, Instant};

/// How long one call of `work` takes.
pub(crate) fn time<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

/// The median of durations; zero of none.
pub(crate) fn median(mut samples: Vec<Duration>) -> Duration {
    samples.sort_unstable();
    samples.get(samples.len() / 2).copied().unwrap_or_default()
}

/// The median time of one call of each, over `rounds` rounds of `calls` calls in turn.
pub(crate) fn alternate<const N: usize>(
    rounds: u32,
    calls: u32,
    mut work: [&mut dyn FnMut(); N],
) -> [Duration; N] {
    let mut samples = [const { Vec::new() }; N];
    for _ in 0..rounds {
        for (work, samples) in work.iter_mut().zip(&mut samples) {
            let (spent, ()) = time(|| (0..calls).for_each(|_| work()));
            samples.push(spent / calls);
        }
    }
    samples.map(median)
}

pub(crate) fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

pub(crate) fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}

pub(crate) fn heading(title: &str) {
    println!("\n{title}");
}

pub(crate) fn us(duration: Duration) -> String {
    format!("{:.1} µs", micros(duration))
}

/// One aligned line: the measured thing, and the figure.
pub(crate) fn line(what: &str, figure: impl std::fmt::Display) {
    aimed(what, figure, "");
}

/// The same with an aim.
pub(crate) fn aimed(what: &str, figure: impl std::fmt::Display, aim: &str) {
    println!("  {what:<58} {figure:>16}  {aim}");
}
