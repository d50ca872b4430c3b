//! Valid time of a claim and the trust in it (I2).

use counterfoil_types::Confidence;
use serde::{Deserialize, Serialize};

use super::Boundary;

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
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        (self.from.is_some() || self.until.is_some()) && self.confidence.value() > TRUST_THRESHOLD
    }

    /// Returns whether it ends before it begins, for every reading of its boundaries: from 2020-06 until 2020 it does not.
    #[must_use]
    pub fn is_incoherent(&self) -> bool {
        matches!(
            (self.from, self.until),
            (Some(from), Some(until)) if from.begin() > until.begin() && from.begin() >= until.end()
        )
    }
}
