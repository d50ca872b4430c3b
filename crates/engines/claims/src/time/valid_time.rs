//! When a claim says that it holds, and how far that is trusted (I2).

use counterfoil_types::Confidence;

use super::Boundary;

/// Above this a window is trusted; at it and below, transaction time takes its place (I2, decision 0011).
pub const TRUST_THRESHOLD: f64 = 0.7;

/// What a source says of valid time: fallible, hence with a confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValidTime {
    /// From when; `None`: open to the past.
    pub from: Option<Boundary>,
    /// Until when, inclusive of what it covers; `None`: open.
    pub until: Option<Boundary>,
    /// How sure the source is of it.
    pub confidence: Confidence,
}

impl ValidTime {
    /// Whether it dates a claim: it names a boundary and is trusted.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        (self.from.is_some() || self.until.is_some()) && self.confidence.value() > TRUST_THRESHOLD
    }

    /// Whether it ends before it begins, whatever its boundaries stand for: from 2020-06 until 2020 it does not.
    #[must_use]
    pub fn is_incoherent(&self) -> bool {
        matches!(
            (self.from, self.until),
            (Some(from), Some(until)) if from.begin() > until.begin() && from.begin() >= until.end()
        )
    }
}
