//! The document of a policy: a preset and overrides, unknown keys refused (MR-01).

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_trace::types::{Confidence, VerificationMethod};
use counterfoil_verifier::Strength;
use serde::Deserialize;

use super::belief::BeliefDocument;
use super::{MEMORY_LIMIT, Policy, PolicyError, Preset, UnprovenRule};

/// A policy as written. Keys that are absent keep the preset's value.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    preset: Option<Preset>,
    require_trace: Option<bool>,
    minimum_method: Option<Method>,
    unproven: Option<Unproven>,
    minimum_confidence: Option<f64>,
    maximum_memories: Option<u64>,
    maximum_age_ms: Option<u64>,
    allowed_skew_ms: Option<u64>,
    allowed_selectors: Option<Vec<String>>,
    allowed_methods: Option<Vec<String>>,
    trusted_methods: Option<Vec<String>>,
    require_at_base_world: Option<bool>,
    require_same_actor: Option<bool>,
    require_time_order: Option<bool>,
    refuse_duplicates: Option<bool>,
    refuse_claimed_unverified: Option<bool>,
    /// Only at the top.
    belief: Option<BeliefDocument>,
    /// Only within `high_risk`.
    intents: Option<Vec<String>>,
    /// Only at the top.
    high_risk: Option<Box<Document>>,
}

/// `minimum_method` as written.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Method {
    Existence,
    Hash,
    Signature,
    Merkle,
}

/// `unproven` as written.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Unproven {
    Allow,
    Indeterminate,
    Refuse,
}

impl TryFrom<Document> for Policy {
    type Error = PolicyError;

    fn try_from(document: Document) -> Result<Self, PolicyError> {
        document.into_policy()
    }
}

impl Document {
    /// The whole policy.
    ///
    /// # Errors
    /// [`PolicyError`] naming the key that is out of place or out of range.
    pub(super) fn into_policy(mut self) -> Result<Policy, PolicyError> {
        if self.intents.is_some() {
            return Err(misplaced(
                "intents stands at the top; it belongs within high_risk",
            ));
        }
        let high_risk = self.high_risk.take();
        let policy = self.over(Preset::Standard)?;
        match high_risk {
            None => Ok(policy),
            Some(stricter) if stricter.belief.is_some() => Err(misplaced(
                "belief stands within high_risk; it belongs at the top",
            )),
            Some(mut stricter) if stricter.high_risk.is_none() => {
                let intents = stricter.intents.take().unwrap_or_default();
                policy.with_high_risk(intents, stricter.over(Preset::HighRisk)?)
            }
            Some(_) => Err(misplaced(
                "high_risk stands within high_risk; there is one level",
            )),
        }
    }

    /// The knobs, over the preset named or else `default`.
    fn over(self, default: Preset) -> Result<Policy, PolicyError> {
        let base = self.preset.unwrap_or(default).policy();
        Ok(Policy {
            require_trace: self.require_trace.unwrap_or(base.require_trace),
            minimum_method: self
                .minimum_method
                .map_or(base.minimum_method, Strength::from),
            unproven: self.unproven.map_or(base.unproven, UnprovenRule::from),
            minimum_confidence: confidence(self.minimum_confidence, base.minimum_confidence)?,
            maximum_memories: memories(self.maximum_memories, base.maximum_memories)?,
            maximum_age_ms: age(self.maximum_age_ms, base.maximum_age_ms)?,
            allowed_skew_ms: self.allowed_skew_ms.unwrap_or(base.allowed_skew_ms),
            allowed_selectors: match self.allowed_selectors {
                Some(selectors) => Some(not_empty("allowed_selectors", selectors)?),
                None => base.allowed_selectors,
            },
            allowed_methods: match self.allowed_methods {
                Some(names) => Some(methods(
                    "allowed_methods",
                    not_empty("allowed_methods", names)?,
                )?),
                None => base.allowed_methods,
            },
            trusted_methods: match self.trusted_methods {
                Some(names) => custom(methods("trusted_methods", names)?)?,
                None => base.trusted_methods,
            },
            require_at_base_world: self
                .require_at_base_world
                .unwrap_or(base.require_at_base_world),
            require_same_actor: self.require_same_actor.unwrap_or(base.require_same_actor),
            require_time_order: self.require_time_order.unwrap_or(base.require_time_order),
            refuse_duplicates: self.refuse_duplicates.unwrap_or(base.refuse_duplicates),
            refuse_claimed_unverified: self
                .refuse_claimed_unverified
                .unwrap_or(base.refuse_claimed_unverified),
            beliefs: match self.belief {
                Some(rules) => rules.over(base.beliefs)?,
                None => base.beliefs,
            },
            high_risk: None,
        })
    }
}

fn misplaced(detail: &str) -> PolicyError {
    PolicyError::Document {
        detail: detail.to_string(),
    }
}

fn confidence(written: Option<f64>, preset: Confidence) -> Result<Confidence, PolicyError> {
    written.map_or(Ok(preset), |value| {
        Confidence::new(value).map_err(|_| PolicyError::MinimumConfidence)
    })
}

fn memories(written: Option<u64>, preset: usize) -> Result<usize, PolicyError> {
    let Some(found) = written else {
        return Ok(preset);
    };
    usize::try_from(found)
        .ok()
        .filter(|count| (1..=MEMORY_LIMIT).contains(count))
        .ok_or(PolicyError::MaximumMemories {
            found,
            limit: MEMORY_LIMIT,
        })
}

fn age(written: Option<u64>, preset: Option<u64>) -> Result<Option<u64>, PolicyError> {
    match written {
        Some(0) => Err(PolicyError::MaximumAge),
        Some(limit) => Ok(Some(limit)),
        None => Ok(preset),
    }
}

fn not_empty(key: &'static str, list: Vec<String>) -> Result<Vec<String>, PolicyError> {
    if list.is_empty() {
        Err(PolicyError::EmptyList { key })
    } else {
        Ok(list)
    }
}

fn methods(key: &'static str, names: Vec<String>) -> Result<Vec<VerificationMethod>, PolicyError> {
    names
        .iter()
        .map(|name| VerificationMethod::new(name).map_err(|_| PolicyError::EmptyMethod { key }))
        .collect()
}

fn custom(methods: Vec<VerificationMethod>) -> Result<Vec<VerificationMethod>, PolicyError> {
    match methods
        .iter()
        .find(|method| !matches!(method, VerificationMethod::Custom(_)))
    {
        None => Ok(methods),
        Some(method) => Err(PolicyError::BuiltInTrusted {
            method: method.as_str().to_string(),
        }),
    }
}

impl From<Method> for Strength {
    fn from(method: Method) -> Self {
        match method {
            Method::Existence => Self::Existence,
            Method::Hash => Self::Hash,
            Method::Signature => Self::Signature,
            Method::Merkle => Self::Merkle,
        }
    }
}

impl From<Unproven> for UnprovenRule {
    fn from(rule: Unproven) -> Self {
        match rule {
            Unproven::Allow => Self::Allow,
            Unproven::Indeterminate => Self::Indeterminate,
            Unproven::Refuse => Self::Refuse,
        }
    }
}
