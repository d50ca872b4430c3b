//! Counts for the operator, as OpenMetrics text (`/metrics`). Labels are words of this program, never of strangers and never of memories.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::StatusCode;

/// Media type of OpenMetrics.
pub const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Prefix of the metrics' names.
const PREFIX: &str = "counterfoil_http";
/// Upper bounds of the buckets of durations, in seconds.
const BUCKETS: [f64; 10] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2.0, 10.0];

/// Counts of one server: requests, problems and connections.
#[derive(Default)]
pub struct Metrics(Arc<Mutex<Counts>>);

#[derive(Default)]
struct Counts {
    requests: BTreeMap<(Cow<'static, str>, u16), u64>,
    durations: BTreeMap<Cow<'static, str>, Durations>,
    in_flight: u64,
    problems: BTreeMap<&'static str, u64>,
    exchanges: BTreeMap<&'static str, u64>,
    connections: u64,
    connections_refused: u64,
}

/// Histogram of the durations of one route.
#[derive(Default)]
struct Durations {
    sum_s: f64,
    count: u64,
    /// Durations up to each bound.
    up_to: [u64; BUCKETS.len()],
}

/// Gauge of things under way.
type Gauge = fn(&mut Counts) -> &mut u64;

/// Request or connection that is counted until this is dropped.
pub struct Counted(Arc<Mutex<Counts>>, Gauge);

impl Drop for Counted {
    fn drop(&mut self) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let gauge = (self.1)(&mut counts);
        *gauge = gauge.saturating_sub(1);
    }
}

impl Metrics {
    /// Counts a request as under way until the value is dropped.
    pub fn request_begun(&self) -> Counted {
        self.counted(|counts| &mut counts.in_flight)
    }

    /// Counts a connection as open until the value is dropped.
    pub fn connected(&self) -> Counted {
        self.counted(|counts| &mut counts.connections)
    }

    /// Counts a connection that was closed because its address had too many.
    pub fn connection_refused(&self) {
        self.counts().connections_refused += 1;
    }

    /// Counts a request: its route, which is a word of the program, its status, the word of its problem, and the time that it took.
    pub fn request_ended(
        &self,
        route: impl Into<Cow<'static, str>>,
        status: StatusCode,
        word: Option<&'static str>,
        took: Duration,
    ) {
        let (mut counts, route) = (self.counts(), route.into());
        *counts
            .requests
            .entry((route.clone(), status.as_u16()))
            .or_default() += 1;
        if let Some(word) = word {
            *counts.problems.entry(word).or_default() += 1;
        }
        let durations = counts.durations.entry(route).or_default();
        let seconds = took.as_secs_f64();
        durations.sum_s += seconds;
        durations.count += 1;
        for (bound, count) in BUCKETS.iter().zip(&mut durations.up_to) {
            *count += u64::from(seconds <= *bound);
        }
    }

    /// Counts a memory request that was answered, by the status of its response.
    pub fn answered(&self, status: &'static str) {
        *self.counts().exchanges.entry(status).or_default() += 1;
    }

    /// Returns the counts as OpenMetrics text, and behind them these numbers: the name of each without `counterfoil_`, a phrase for people,
    /// and the number.
    pub fn text(&self, numbers: &[(&str, &str, u64)]) -> String {
        let mut text = String::new();
        // A String takes whatever is written.
        let _ = write_text(&mut text, &self.counts(), numbers);
        text
    }

    fn counted(&self, gauge: Gauge) -> Counted {
        *gauge(&mut self.counts()) += 1;
        Counted(Arc::clone(&self.0), gauge)
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn write_text(
    text: &mut String,
    counts: &Counts,
    numbers: &[(&str, &str, u64)],
) -> std::fmt::Result {
    let requests = counts.requests.iter().map(|((route, status), count)| {
        (format!("{{route=\"{route}\",status=\"{status}\"}}"), count)
    });
    family(text, "requests", "Requests by route and status", requests)?;
    if !counts.durations.is_empty() {
        let name = "request_duration_seconds";
        head(text, name, "How long requests took", "histogram")?;
        writeln!(text, "# UNIT {PREFIX}_{name} seconds")?;
        for (route, durations) in &counts.durations {
            let Durations { sum_s, count, .. } = durations;
            writeln!(text, "{PREFIX}_{name}_sum{{route=\"{route}\"}} {sum_s:?}")?;
            writeln!(text, "{PREFIX}_{name}_count{{route=\"{route}\"}} {count}")?;
            let bounds = BUCKETS.iter().map(|bound| format!("{bound:?}"));
            let buckets = bounds.zip(durations.up_to);
            for (le, up_to) in buckets.chain([("+Inf".to_owned(), *count)]) {
                writeln!(
                    text,
                    "{PREFIX}_{name}_bucket{{le=\"{le}\",route=\"{route}\"}} {up_to}"
                )?;
            }
        }
    }
    gauge(
        text,
        "requests_in_flight",
        "Requests under way",
        counts.in_flight,
    )?;
    let labelled = |label: &'static str, counts: &'_ BTreeMap<&'static str, u64>| {
        let one = |(value, count): (&&str, &u64)| (format!("{{{label}=\"{value}\"}}"), *count);
        counts.iter().map(one).collect::<Vec<_>>()
    };
    let problems = labelled("problem", &counts.problems);
    let help = "Requests refused, by the word of the problem";
    family(text, "problems", help, problems)?;
    let exchanges = labelled("status", &counts.exchanges);
    family(
        text,
        "exchanges",
        "Memory requests answered, by status",
        exchanges,
    )?;
    gauge(text, "connections", "Connections open", counts.connections)?;
    let help = "Connections closed because their address had too many";
    let refused = [(String::new(), counts.connections_refused)];
    family(text, "connections_refused", help, refused)?;
    for (name, help, number) in numbers {
        writeln!(text, "# HELP counterfoil_{name} {help}.")?;
        writeln!(text, "# TYPE counterfoil_{name} gauge")?;
        writeln!(text, "counterfoil_{name} {number}")?;
    }
    writeln!(text, "# EOF")
}

/// Writes a counter with its labels; nothing if it has none.
fn family(
    text: &mut String,
    name: &str,
    help: &str,
    counts: impl IntoIterator<Item = (String, impl Display)>,
) -> std::fmt::Result {
    let mut counts = counts.into_iter().peekable();
    if counts.peek().is_some() {
        head(text, name, help, "counter")?;
    }
    counts.try_for_each(|(labels, count)| writeln!(text, "{PREFIX}_{name}_total{labels} {count}"))
}

fn gauge(text: &mut String, name: &str, help: &str, value: u64) -> std::fmt::Result {
    head(text, name, help, "gauge")?;
    writeln!(text, "{PREFIX}_{name} {value}")
}

fn head(text: &mut String, name: &str, help: &str, kind: &str) -> std::fmt::Result {
    writeln!(text, "# HELP {PREFIX}_{name} {help}.")?;
    writeln!(text, "# TYPE {PREFIX}_{name} {kind}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text as version 0.25 of the crate prometheus-client wrote it.
    #[test]
    fn counts_are_written_as_open_metrics() {
        let metrics = Metrics::default();
        let held = metrics.request_begun();
        metrics.request_ended("/healthz", StatusCode::OK, None, Duration::from_millis(3));
        let (status, word) = (StatusCode::NOT_FOUND, Some("not-found"));
        metrics.request_ended("other", status, word, Duration::from_secs(2));
        metrics.answered("no_match");
        assert_eq!(metrics.text(&[]), include_str!("metrics.txt"));
        drop(held);
        assert!(metrics.text(&[]).contains("requests_in_flight 0\n"));
        assert_eq!(
            Metrics::default().text(&[]).lines().count(),
            10,
            "counters without labels are left out"
        );
    }
}
