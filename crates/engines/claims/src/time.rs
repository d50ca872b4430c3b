//! Valid time: the times that a source gives, with their granularity and the trust in them (I2).

mod boundary;

pub use boundary::Boundary;
pub(crate) use boundary::Granularity;

use counterfoil_types::Confidence;
use serde::{Deserialize, Serialize};

/// An instant of valid time: microseconds since 1970, UTC; negative before.
pub type Micros = i64;

/// Above this a window is trusted; at it and below, transaction time takes its place (I2, decision 0011).
pub const TRUST_THRESHOLD: f64 = 0.7;

/// Valid time as a source gave it, with the confidence of the source.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValidTime {
    /// Start; `None`: open to the past.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Boundary>,
    /// End, inclusive of the period that it covers; `None`: open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Boundary>,
    /// Confidence of the source in the boundaries.
    pub confidence: Confidence,
}

impl ValidTime {
    /// Returns whether it dates a claim: it has a boundary and is trusted.
    pub fn is_trusted(&self) -> bool {
        (self.from.is_some() || self.until.is_some()) && self.confidence.value() > TRUST_THRESHOLD
    }

    /// Returns whether no instant lies in it: it ends before it begins, or at the very instant at which it begins. The gate lets none
    /// in (decision 0053).
    pub fn is_empty(&self) -> bool {
        self.window().is_empty()
    }

    /// Window from the begin of `from` to the end of `until`.
    pub fn window(&self) -> Window {
        Window {
            start: self.from.map(|from| from.begin()),
            end: self.until.map(|until| until.end()),
        }
    }

    /// Returns whether it ends before it begins, for every reading of its boundaries: from 2020-06 until 2020 it does not.
    pub fn is_incoherent(&self) -> bool {
        matches!(
            (self.from, self.until),
            (Some(from), Some(until)) if from.begin() > until.begin() && self.is_empty()
        )
    }
}

/// `[start, end)`; `None` is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Window {
    /// The first instant in it.
    pub start: Option<Micros>,
    /// The first instant after it.
    pub end: Option<Micros>,
}

impl Window {
    /// Returns whether it holds `at`.
    pub fn contains(&self, at: Micros) -> bool {
        self.start.is_none_or(|start| start <= at) && self.end.is_none_or(|end| at < end)
    }

    /// Returns whether both hold some instant.
    pub fn meets(&self, other: &Self) -> bool {
        let start = self.start.max(other.start);
        let end = match (self.end, other.end) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        let shared = Self { start, end };
        !self.is_empty() && !other.is_empty() && !shared.is_empty()
    }

    /// Returns whether it holds no instant.
    pub fn is_empty(&self) -> bool {
        matches!((self.start, self.end), (Some(start), Some(end)) if start >= end)
    }
}
