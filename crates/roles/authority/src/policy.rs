//! What an authority asks of a proposal's memories (MR-01, §7.4.1; SR-01 to SR-04).

mod belief;
mod document;
mod error;
mod preset;
mod tighten;

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_trace::MAX_SELECTED;
use counterfoil_trace::types::json::{Limits, parse};
use counterfoil_trace::types::{Confidence, VerificationMethod};
use counterfoil_verifier::Strength;
use serde::Deserialize;

pub use belief::{BeliefMarker, BeliefPolicy};
use document::Document;
pub use error::PolicyError;
pub use preset::Preset;

/// The largest value of `maximum_memories`.
const MEMORY_LIMIT: usize = MAX_SELECTED;

/// The rules of one authority. Each knob is documented at its getter; presets are in [`Preset`].
///
/// Deserialises from a document that names a preset and overrides some of its knobs; a key that is
/// not a knob is an error, so that a misspelt rule can't pass for a rule.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Document")]
pub struct Policy {
    require_trace: bool,
    minimum_method: Strength,
    unproven: UnprovenRule,
    minimum_confidence: Confidence,
    maximum_memories: usize,
    maximum_age_ms: Option<u64>,
    allowed_skew_ms: u64,
    allowed_selectors: Option<Vec<String>>,
    allowed_methods: Option<Vec<VerificationMethod>>,
    trusted_methods: Vec<VerificationMethod>,
    require_at_base_world: bool,
    require_same_actor: bool,
    require_time_order: bool,
    refuse_duplicates: bool,
    refuse_claimed_unverified: bool,
    beliefs: BeliefPolicy,
    high_risk: Option<HighRisk>,
}

/// What follows from a memory that is not proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnprovenRule {
    /// It counts for nothing; whoever strips the evidence is not hindered.
    Allow,
    /// The decision stays open.
    Indeterminate,
    /// The proposal is rejected.
    Refuse,
}

/// Intent types that are judged more strictly.
#[derive(Debug, Clone, PartialEq)]
struct HighRisk {
    intents: Vec<String>,
    policy: Box<Policy>,
}

impl Policy {
    /// The policy of a preset, unchanged.
    #[must_use]
    pub fn preset(preset: Preset) -> Self {
        preset.policy()
    }

    /// Reads a policy from JSON.
    ///
    /// # Errors
    /// [`PolicyError`] for JSON that is not strict, an unknown key, or a value out of its range.
    pub fn from_json(bytes: &[u8]) -> Result<Self, PolicyError> {
        let document: Document =
            serde_json::from_value(parse(bytes, Limits::PROOF)?).map_err(|error| {
                PolicyError::Document {
                    detail: error.to_string(),
                }
            })?;
        document.into_policy()
    }

    /// This policy, with the rules of `stricter` on top for the intent types `intents`.
    ///
    /// An intent whose type is not printable ASCII without spaces is judged by them too: it may only
    /// look like one that is not named.
    ///
    /// # Errors
    /// [`PolicyError::NoIntents`] if there is no intent type, [`PolicyError::Intent`] if one is no
    /// printable ASCII without spaces, as it would be mistaken for another or match nothing.
    pub fn with_high_risk(
        mut self,
        intents: Vec<String>,
        stricter: Self,
    ) -> Result<Self, PolicyError> {
        if intents.is_empty() {
            return Err(PolicyError::NoIntents);
        }
        if let Some(found) = intents.iter().find(|intent| !is_plain(intent)) {
            return Err(PolicyError::Intent {
                found: found.clone(),
            });
        }
        self.high_risk = Some(HighRisk {
            intents,
            policy: Box::new(stricter),
        });
        Ok(self)
    }

    /// Whether an intent of this type (`intent.body.type`, exactly) is high-risk.
    #[must_use]
    pub fn is_high_risk(&self, intent_type: &str) -> bool {
        self.high_risk_for(intent_type).is_some()
    }

    /// The rules for an intent of this type: these, tightened if the type is high-risk.
    #[must_use]
    pub fn for_intent(&self, intent_type: &str) -> Self {
        let plain = Self {
            high_risk: None,
            ..self.clone()
        };
        match self.high_risk_for(intent_type) {
            Some(high_risk) => plain.tightened_by(&high_risk.policy),
            None => plain,
        }
    }

    fn high_risk_for(&self, intent_type: &str) -> Option<&HighRisk> {
        self.high_risk
            .as_ref()
            .filter(|risk| !is_plain(intent_type) || risk.names(intent_type))
    }
}

impl HighRisk {
    fn names(&self, intent_type: &str) -> bool {
        self.intents.iter().any(|name| name == intent_type)
    }
}

/// Whether an intent type looks like no other: printable ASCII without spaces.
fn is_plain(intent_type: &str) -> bool {
    !intent_type.is_empty() && intent_type.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The knobs.
impl Policy {
    /// `require_trace`: a proposal without `context.memory` is rejected (M-2, CR-01).
    #[must_use]
    pub const fn require_trace(&self) -> bool {
        self.require_trace
    }

    /// `minimum_method`: the least strength of proof that counts as proven; what is valid and
    /// weaker is unproven.
    #[must_use]
    pub const fn minimum_method(&self) -> Strength {
        self.minimum_method
    }

    /// `unproven`: what follows from a memory that is not proven.
    #[must_use]
    pub const fn unproven(&self) -> UnprovenRule {
        self.unproven
    }

    /// `minimum_confidence`: a memory below it is refused; 0 to 1.
    #[must_use]
    pub const fn minimum_confidence(&self) -> Confidence {
        self.minimum_confidence
    }

    /// `maximum_memories`: how many memories a trace may select, 1 to 1000.
    #[must_use]
    pub const fn maximum_memories(&self) -> usize {
        self.maximum_memories
    }

    /// `maximum_age_ms`: how old a selection and a verification may be at the review, in
    /// milliseconds; `None` is no limit. What stops the replay of an old proposal.
    #[must_use]
    pub const fn maximum_age_ms(&self) -> Option<u64> {
        self.maximum_age_ms
    }

    /// `allowed_skew_ms`: how far the proposer's clock may be ahead of the authority's, in
    /// milliseconds. It does not loosen the order of the proposer's own times.
    #[must_use]
    pub const fn allowed_skew_ms(&self) -> u64 {
        self.allowed_skew_ms
    }

    /// `allowed_selectors`: the `actorId`s that may have selected; `None` allows all.
    #[must_use]
    pub fn allowed_selectors(&self) -> Option<&[String]> {
        self.allowed_selectors.as_deref()
    }

    /// `allowed_methods`: the methods that evidence may have; `None` allows all.
    #[must_use]
    pub fn allowed_methods(&self) -> Option<&[VerificationMethod]> {
        self.allowed_methods.as_deref()
    }

    /// `trusted_methods`: methods of the application's own (MR-04) whose proofs count.
    #[must_use]
    pub fn trusted_methods(&self) -> &[VerificationMethod] {
        &self.trusted_methods
    }

    /// `require_at_base_world`: the selection was made at the World that the proposal builds on.
    #[must_use]
    pub const fn require_at_base_world(&self) -> bool {
        self.require_at_base_world
    }

    /// `require_same_actor`: proposal's actor, selector and every `verifiedBy` are one (§7.1).
    #[must_use]
    pub const fn require_same_actor(&self) -> bool {
        self.require_same_actor
    }

    /// `require_time_order`: `verifiedAt <= selectedAt <= submittedAt <= now` (M-3, CR-10).
    #[must_use]
    pub const fn require_time_order(&self) -> bool {
        self.require_time_order
    }

    /// `refuse_duplicates`: one World twice in a trace is refused, since it fakes corroboration.
    #[must_use]
    pub const fn refuse_duplicates(&self) -> bool {
        self.refuse_duplicates
    }

    /// `refuse_claimed_unverified`: a memory that its own selector marks `verified: false` is
    /// refused (SR-03). `verified: true` is never a reason to accept.
    #[must_use]
    pub const fn refuse_claimed_unverified(&self) -> bool {
        self.refuse_claimed_unverified
    }

    /// `belief`: the rules for beliefs that are proven; they stand beside those for memories.
    #[must_use]
    pub const fn beliefs(&self) -> &BeliefPolicy {
        &self.beliefs
    }
}
