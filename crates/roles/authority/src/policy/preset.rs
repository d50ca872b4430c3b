//! Policies by name: the ordinary ones, and one for each SHOULD of the specification (SR-01 to SR-04).

use alloc::vec::Vec;

use counterfoil_trace::types::Confidence;
use counterfoil_verifier::Strength;
use serde::Deserialize;

use super::{BeliefPolicy, MEMORY_LIMIT, Policy, UnprovenRule};

/// One minute: what clocks that are kept in step by NTP need, with room.
const ONE_MINUTE_MS: u64 = 60_000;
/// One hour.
const ONE_HOUR_MS: u64 = 3_600_000;

/// A policy by name; a policy document overrides single knobs of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Preset {
    /// A trace is required; memories count from method `signature` on; what is unproven leaves the
    /// decision open; one actor, one World, times in order, no duplicates.
    #[default]
    Standard,
    /// Refuses what is false and nothing that is merely absent: no trace is needed, unproven
    /// memories are let through, actors and Worlds may differ.
    Permissive,
    /// SR-01 to SR-04 together: method `merkle`, unproven refused, `verified: false` refused, not
    /// older than an hour.
    HighRisk,
    /// SR-01, verify memory refs before high-risk decisions: a memory must be proven.
    #[serde(rename = "sr-01")]
    Sr01,
    /// SR-02, prefer verified memories: an unproven memory leaves the decision open.
    #[serde(rename = "sr-02")]
    Sr02,
    /// SR-03, reject unverified memories for high-risk intents: as SR-01, and `verified: false` is
    /// taken at its word.
    #[serde(rename = "sr-03")]
    Sr03,
    /// SR-04, high-risk proposals include evidence: every memory carries evidence of some method.
    #[serde(rename = "sr-04")]
    Sr04,
}

impl Preset {
    /// Every preset with its name in a policy document.
    pub const ALL: [(&'static str, Self); 7] = [
        ("standard", Self::Standard),
        ("permissive", Self::Permissive),
        ("high-risk", Self::HighRisk),
        ("sr-01", Self::Sr01),
        ("sr-02", Self::Sr02),
        ("sr-03", Self::Sr03),
        ("sr-04", Self::Sr04),
    ];

    pub(super) fn policy(self) -> Policy {
        let standard = standard();
        match self {
            Self::Standard => standard,
            Self::Permissive => permissive(standard),
            Self::HighRisk => Policy {
                minimum_method: Strength::Merkle,
                unproven: UnprovenRule::Refuse,
                maximum_age_ms: Some(ONE_HOUR_MS),
                refuse_claimed_unverified: true,
                beliefs: BeliefPolicy::preset(true, true),
                ..standard
            },
            Self::Sr01 => Policy {
                unproven: UnprovenRule::Refuse,
                ..standard
            },
            Self::Sr02 => Policy {
                unproven: UnprovenRule::Indeterminate,
                ..standard
            },
            Self::Sr03 => Policy {
                unproven: UnprovenRule::Refuse,
                refuse_claimed_unverified: true,
                ..standard
            },
            Self::Sr04 => Policy {
                minimum_method: Strength::Existence,
                unproven: UnprovenRule::Refuse,
                ..standard
            },
        }
    }
}

fn standard() -> Policy {
    Policy {
        require_trace: true,
        minimum_method: Strength::Signature,
        unproven: UnprovenRule::Indeterminate,
        minimum_confidence: Confidence::ZERO,
        maximum_memories: MEMORY_LIMIT,
        maximum_age_ms: None,
        allowed_skew_ms: ONE_MINUTE_MS,
        allowed_selectors: None,
        allowed_methods: None,
        trusted_methods: Vec::new(),
        require_at_base_world: true,
        require_same_actor: true,
        require_time_order: true,
        refuse_duplicates: true,
        refuse_claimed_unverified: false,
        beliefs: BeliefPolicy::preset(true, false),
        high_risk: None,
    }
}

fn permissive(standard: Policy) -> Policy {
    Policy {
        require_trace: false,
        minimum_method: Strength::Existence,
        unproven: UnprovenRule::Allow,
        require_at_base_world: false,
        require_same_actor: false,
        refuse_duplicates: false,
        beliefs: BeliefPolicy::preset(false, false),
        ..standard
    }
}
