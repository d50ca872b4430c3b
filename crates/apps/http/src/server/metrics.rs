//! Counts for whoever runs the server, as Prometheus reads them. Labels are words of this program, never of strangers.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use axum::http::StatusCode;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::ProblemWord;

/// The media type of the text format.
pub(super) const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Where durations are counted, in seconds.
const BUCKETS: [f64; 10] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2.0, 10.0];
/// How a canonical response says its status, behind all that it quotes.
const STATUS: &[u8] = b"\"status\":{\"code\":\"";
const STATUSES: [&str; 5] = ["success", "partial", "no_match", "declined", "error"];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answer {
    route: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Problem {
    problem: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Exchange {
    status: &'static str,
}

type Histograms = Family<Route, Histogram, fn() -> Histogram>;

pub(super) struct Metrics {
    registry: Registry,
    requests: Family<Answer, Counter>,
    durations: Histograms,
    in_flight: Gauge,
    refused: Family<Problem, Counter>,
    answered: Family<Exchange, Counter>,
    connections: Gauge,
    turned_away: Counter<u64, AtomicU64>,
}

/// One request, or connection, that is counted as long as this is held.
pub(super) struct Counted(Gauge);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Metrics {
    pub(super) fn new() -> Self {
        let made = Self {
            registry: Registry::default(),
            requests: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            in_flight: Gauge::default(),
            refused: Family::default(),
            answered: Family::default(),
            connections: Gauge::default(),
            turned_away: Counter::default(),
        };
        made.registered()
    }

    fn registered(mut self) -> Self {
        let registry = self.registry.sub_registry_with_prefix("counterfoil_http");
        registry.register(
            "requests",
            "Requests by route and status",
            self.requests.clone(),
        );
        let help = "How long requests took";
        registry.register_with_unit(
            "request_duration",
            help,
            Unit::Seconds,
            self.durations.clone(),
        );
        registry.register(
            "requests_in_flight",
            "Requests under way",
            self.in_flight.clone(),
        );
        registry.register(
            "problems",
            "Requests refused, by the word of the problem",
            self.refused.clone(),
        );
        registry.register(
            "exchanges",
            "Memory requests answered, by status",
            self.answered.clone(),
        );
        registry.register("connections", "Connections open", self.connections.clone());
        let help = "Connections closed because their address had too many";
        registry.register("connections_refused", help, self.turned_away.clone());
        self
    }

    pub(super) fn begun(&self) -> Counted {
        self.in_flight.inc();
        Counted(self.in_flight.clone())
    }

    pub(super) fn connected(&self) -> Arc<Counted> {
        self.connections.inc();
        Arc::new(Counted(self.connections.clone()))
    }

    pub(super) fn turned_away(&self) {
        self.turned_away.inc();
    }

    pub(super) fn ended(
        &self,
        route: &'static str,
        status: StatusCode,
        word: Option<ProblemWord>,
        took: Duration,
    ) {
        self.requests
            .get_or_create(&Answer {
                route,
                status: status.as_u16(),
            })
            .inc();
        self.durations
            .get_or_create(&Route { route })
            .observe(took.as_secs_f64());
        if let Some(word) = word {
            self.refused
                .get_or_create(&Problem {
                    problem: word.as_str(),
                })
                .inc();
        }
    }

    /// Counts the status of a response, found without reading it.
    pub(super) fn answered(&self, response: &[u8]) {
        let status = status(response).unwrap_or("unknown");
        self.answered.get_or_create(&Exchange { status }).inc();
    }

    pub(super) fn text(&self) -> Option<String> {
        let mut text = String::new();
        encode(&mut text, &self.registry).ok()?;
        Some(text)
    }
}

fn status(response: &[u8]) -> Option<&'static str> {
    let at = response
        .windows(STATUS.len())
        .rposition(|window| window == STATUS)?;
    let rest = response.get(at + STATUS.len()..)?;
    let is = |word: &&str| {
        rest.strip_prefix(word.as_bytes())
            .is_some_and(|rest| rest.starts_with(b"\""))
    };
    STATUSES.into_iter().find(is)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_the_documents_own_and_not_one_that_it_quotes() {
        let response = br#"{"results":[{"x":{"status":{"code":"declined"}}}],"status":{"code":"partial","message":"m"},"type":"t"}"#;
        assert_eq!(status(response), Some("partial"));
        assert_eq!(status(br#"{"status":{"code":"successful"}}"#), None);
        assert_eq!(status(b""), None);
    }

    #[test]
    fn counts_are_read_as_text() {
        let metrics = Metrics::new();
        let held = metrics.begun();
        metrics.ended("/healthz", StatusCode::OK, None, Duration::from_millis(3));
        metrics.ended(
            "other",
            StatusCode::NOT_FOUND,
            Some(ProblemWord::NotFound),
            Duration::ZERO,
        );
        metrics.answered(br#"{"status":{"code":"no_match"}}"#);
        let text = metrics.text().unwrap();
        for line in [
            "counterfoil_http_requests_total{route=\"/healthz\",status=\"200\"} 1",
            "counterfoil_http_problems_total{problem=\"not-found\"} 1",
            "counterfoil_http_exchanges_total{status=\"no_match\"} 1",
            "counterfoil_http_requests_in_flight 1",
            "counterfoil_http_request_duration_seconds_bucket{le=\"0.005\",route=\"/healthz\"} 1",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        drop(held);
        assert!(metrics.text().unwrap().contains("requests_in_flight 0"));
    }
}
