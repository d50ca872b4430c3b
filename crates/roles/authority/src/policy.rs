//! Rules for the memories of a proposal (MR-01, §7.4.1; SR-01 to SR-04).

mod belief;
mod overrides;
mod preset;

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_trace::types::document::Fault;
use counterfoil_trace::types::json::{JsonError, Limits, parse};
use counterfoil_trace::types::{Confidence, Sha256Hash, VerificationMethod, document, words};
use counterfoil_verifier::Strength;
use counterfoil_verifier::decision;
use counterfoil_verifier::integrity::ProofError;
use serde::{Deserialize, Serialize};

pub use belief::BeliefMarker;
use overrides::Document;
pub use preset::Preset;

/// Rules of one authority for the memories of proposals, and for beliefs. [`Preset`] has the usual ones. A proof of belief
/// that does not hold is refused under all of them.
///
/// Deserialises from a document that names a preset and overrides some of its rules. An unknown key is an error, so that
/// no misspelt rule passes for a rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Document")]
pub struct Policy {
    /// Name of the authority: the audience of the proposals that it accepts, where `require_signed` is on.
    pub name: String,
    /// Requires that the actor's key signed the proposal, for this authority; one without signature leaves the decision
    /// open.
    pub require_signed: bool,
    /// Rejects a proposal without `context.memory` (M-2, CR-01).
    pub require_trace: bool,
    /// Consequence of a proposal that presents no memory: without a trace where none is required (M-2), or with one that
    /// selects nothing (MR-05).
    pub no_memory: UnprovenRule,
    /// Least strength of a proof that counts as proven. A valid, weaker one is unproven.
    pub minimum_method: Strength,
    /// Fields that each memory must disclose, as JSON pointers; a memory that shows less is unproven. The pointer `""` is the
    /// whole content: all of its fields up to 64 KiB, and some of its data above.
    pub require_disclosed: Vec<String>,
    /// Least knowledge of a memory's author. A memory of which less is shown is unproven.
    pub require_author: AuthorRule,
    /// Requires the standing of each memory in its log, under the checkpoint of its proof; a memory without it is unproven.
    /// One that is shown falsely is refused under every policy. The next five rules are about what is shown.
    pub require_standing: bool,
    /// Refuses a memory that a later version supersedes.
    pub require_current: bool,
    /// Refuses a memory of a chain that forked, or of a branch that a resolution left.
    pub refuse_forked: bool,
    /// Refuses a memory that was signed with a key from an entry on from which that is not believed.
    pub refuse_compromised: bool,
    /// Refuses a memory of which the log says that its content was erased.
    pub refuse_erased: bool,
    /// Refuses memories that were forgotten.
    pub refuse_forgotten: ForgottenRule,
    /// Refuses a claim that is contested, denied, kept apart or not believed. The belief of its line must be shown, with all its
    /// units, or it is unproven; [`BeliefFold`](crate::BeliefFold) folds it again.
    pub refuse_contested: bool,
    /// Consequence of a memory that is not proven.
    pub unproven: UnprovenRule,
    /// Least confidence of a memory, 0 to 1. Others are refused.
    pub minimum_confidence: Confidence,
    /// Least number of memories that count, 0 to 1000: each World once, without the unproven where
    /// [`UnprovenRule::Allow`] lets them through.
    pub minimum_memories: usize,
    /// Largest number of memories in a trace, 1 to 1000.
    pub maximum_memories: usize,
    /// Largest age of a submission, a selection and a verification at the review, in milliseconds; `None` is no limit. It
    /// stops the replay of an old proposal where `require_signed` binds these times.
    pub maximum_age_ms: Option<u64>,
    /// Largest lead of the proposer's clock over the authority's, in milliseconds. It does not loosen the order of the
    /// proposer's own times.
    pub allowed_skew_ms: u64,
    /// Accepted selectors, by `actorId`; `None` allows all.
    pub allowed_selectors: Option<Vec<String>>,
    /// Accepted methods of evidence; `None` allows all.
    pub allowed_methods: Option<Vec<VerificationMethod>>,
    /// Methods of the application's own (MR-04) whose proofs count, with the rank of their findings.
    pub trusted_methods: Vec<VerificationMethod>,
    /// Ranks of the application's own verifiers, by method, for those that return a bool (§6.2) as well. A verifier
    /// without a rank ranks below `hash`.
    pub verifier_ranks: BTreeMap<VerificationMethod, Strength>,
    /// Requires a selection at the World that the proposal builds on.
    pub require_at_base_world: bool,
    /// Requires one actor as proposer, selector and each `verifiedBy` (§7.1).
    pub require_same_actor: bool,
    /// Actors, by `actorId`, that may select for others (§11), as a memory service does. `require_same_actor` then asks
    /// that each `verifiedBy` is the selector.
    pub selectors: Vec<String>,
    /// Requires `verifiedAt <= selectedAt <= submittedAt <= now` (M-3, CR-10).
    pub require_time_order: bool,
    /// Refuses a World that is twice in a trace, since that fakes corroboration.
    pub refuse_duplicates: bool,
    /// Refuses a memory that its own selector marks `verified: false` (SR-03). `verified: true` is never a reason to
    /// accept.
    pub refuse_claimed_unverified: bool,
    /// Rejects every status of a belief but `resolved`: contested, ended, uncertain in time, and no belief.
    pub require_resolved: bool,
    /// Rejects a belief that models alone support.
    pub require_external: bool,
    /// Least number of independent sources of each deciding value of a belief.
    pub minimum_sources: u32,
    /// Largest number of days from the last confirmation of each deciding value of a belief to the review; `None` is no
    /// limit.
    pub maximum_confirmed_days: Option<u32>,
    /// Rejects a belief with one of these markers.
    pub refused_markers: Vec<BeliefMarker>,
    high_risk: Option<HighRisk>,
}

words! {
    /// Consequence of a memory that is not proven, or of none. Ordered: the stricter is the greater.
    #[derive(PartialOrd, Ord)]
    pub enum UnprovenRule {
        /// It counts for nothing, and stripping the evidence has no consequence.
        Allow = "allow",
        /// The decision stays open.
        Indeterminate = "indeterminate",
        /// The proposal is rejected.
        Refuse = "refuse",
    }
}

words! {
    /// Least knowledge of a memory's author. Ordered: the stricter is the greater.
    #[derive(PartialOrd, Ord)]
    pub enum AuthorRule {
        /// Nothing. An author that is shown falsely is refused all the same.
        Any = "any",
        /// Its signature over the memory, and its key history where it has rotated.
        Known = "known",
        /// As `known`, and the author is one of the anchors' agents; so is the agent whose word the author wrote down.
        Anchored = "anchored",
    }
}

words! {
    /// Forgotten memories that a policy refuses. Ordered: the stricter is the greater.
    #[derive(PartialOrd, Ord)]
    pub enum ForgottenRule {
        /// None.
        None = "none",
        /// Those that were forgotten for all.
        Global = "global",
        /// Those that were forgotten for an actor, too.
        All = "all",
    }
}

/// Intent types with stricter rules.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct HighRisk {
    intents: Vec<String>,
    policy: Box<Policy>,
}

impl Policy {
    /// Policy of a preset, unchanged.
    pub fn preset(preset: Preset) -> Self {
        preset.policy()
    }

    /// Reads a policy from JSON.
    ///
    /// # Errors
    /// [`PolicyError`] for JSON that is not strict, an unknown key, or a value out of its range.
    pub fn from_json(bytes: &[u8]) -> Result<Self, PolicyError> {
        let document: Document = document::read(&parse(bytes, Limits::PROOF)?)?;
        document.try_into()
    }

    /// SHA-256 of the canonical form of all its rules: equal for policies with equal rules.
    ///
    /// # Errors
    /// [`ProofError::Json`] for a number beyond 2^53 - 1.
    pub fn digest(&self) -> Result<Sha256Hash, ProofError> {
        let rules = serde_json::to_value(self).map_err(|_| ProofError::NotAnObject)?;
        Ok(decision::digest(&rules)?)
    }

    /// This policy, with the rules of `stricter` on top for the intent types `intents`.
    ///
    /// They apply to an intent whose type is not printable ASCII without spaces too: it may imitate another type.
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

    /// Returns true if an intent of this type (`intent.body.type`, exactly) is high-risk.
    pub fn is_high_risk(&self, intent_type: &str) -> bool {
        self.high_risk_for(intent_type).is_some()
    }

    /// Rules for an intent of this type: these, tightened if the type is high-risk.
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

    /// The stricter of two policies, knob by knob: a high-risk part can only tighten.
    fn tightened_by(&self, other: &Self) -> Self {
        Self {
            name: self.name.clone(),
            require_signed: self.require_signed || other.require_signed,
            require_trace: self.require_trace || other.require_trace,
            no_memory: self.no_memory.max(other.no_memory),
            minimum_method: self.minimum_method.max(other.minimum_method),
            require_disclosed: union(&self.require_disclosed, &other.require_disclosed),
            require_author: self.require_author.max(other.require_author),
            require_standing: self.require_standing || other.require_standing,
            require_current: self.require_current || other.require_current,
            refuse_forked: self.refuse_forked || other.refuse_forked,
            refuse_compromised: self.refuse_compromised || other.refuse_compromised,
            refuse_erased: self.refuse_erased || other.refuse_erased,
            refuse_forgotten: self.refuse_forgotten.max(other.refuse_forgotten),
            refuse_contested: self.refuse_contested || other.refuse_contested,
            unproven: self.unproven.max(other.unproven),
            minimum_confidence: self.minimum_confidence.max(other.minimum_confidence),
            minimum_memories: self.minimum_memories.max(other.minimum_memories),
            maximum_memories: self.maximum_memories.min(other.maximum_memories),
            maximum_age_ms: match (self.maximum_age_ms, other.maximum_age_ms) {
                (Some(left), Some(right)) => Some(left.min(right)),
                (one, other) => one.or(other),
            },
            allowed_skew_ms: self.allowed_skew_ms.min(other.allowed_skew_ms),
            allowed_selectors: common(&self.allowed_selectors, &other.allowed_selectors),
            allowed_methods: common(&self.allowed_methods, &other.allowed_methods),
            trusted_methods: intersection(&self.trusted_methods, &other.trusted_methods),
            verifier_ranks: common_ranks(&self.verifier_ranks, &other.verifier_ranks),
            require_at_base_world: self.require_at_base_world || other.require_at_base_world,
            require_same_actor: self.require_same_actor || other.require_same_actor,
            selectors: intersection(&self.selectors, &other.selectors),
            require_time_order: self.require_time_order || other.require_time_order,
            refuse_duplicates: self.refuse_duplicates || other.refuse_duplicates,
            refuse_claimed_unverified: self.refuse_claimed_unverified
                || other.refuse_claimed_unverified,
            // Beliefs are proven without an intent, so no intent tightens what they must be.
            require_resolved: self.require_resolved,
            require_external: self.require_external,
            minimum_sources: self.minimum_sources,
            maximum_confirmed_days: self.maximum_confirmed_days,
            refused_markers: self.refused_markers.clone(),
            high_risk: None,
        }
    }

    fn high_risk_for(&self, intent_type: &str) -> Option<&HighRisk> {
        let named = |risk: &&HighRisk| risk.intents.iter().any(|name| name == intent_type);
        let high_risk = self.high_risk.as_ref();
        high_risk.filter(|risk| !is_plain(intent_type) || named(risk))
    }
}

/// Returns true if an intent type can be mistaken for no other: printable ASCII without spaces.
fn is_plain(intent_type: &str) -> bool {
    !intent_type.is_empty() && intent_type.bytes().all(|byte| byte.is_ascii_graphic())
}

fn common<T: PartialEq + Clone>(left: &Option<Vec<T>>, right: &Option<Vec<T>>) -> Option<Vec<T>> {
    match (left, right) {
        (Some(left), Some(right)) => Some(intersection(left, right)),
        (one, other) => one.clone().or_else(|| other.clone()),
    }
}

/// Methods that both rank, each with the lower rank.
fn common_ranks(
    left: &BTreeMap<VerificationMethod, Strength>,
    right: &BTreeMap<VerificationMethod, Strength>,
) -> BTreeMap<VerificationMethod, Strength> {
    let common = left.iter().filter_map(|(method, rank)| {
        let lower = *rank.min(right.get(method)?);
        Some((method.clone(), lower))
    });
    common.collect()
}

fn intersection<T: PartialEq + Clone>(left: &[T], right: &[T]) -> Vec<T> {
    left.iter()
        .filter(|item| right.contains(item))
        .cloned()
        .collect()
}

fn union<T: PartialEq + Clone>(left: &[T], right: &[T]) -> Vec<T> {
    let more = right.iter().filter(|item| !left.contains(item));
    left.iter().chain(more).cloned().collect()
}

/// A policy that cannot be used. Correct the document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The document is no strict JSON.
    #[error("the policy is not acceptable JSON: {0}")]
    Json(#[from] JsonError),
    /// A key is unknown or out of place, or a value is none of the values of its key.
    #[error("{detail}; docs/format/policy.md lists the keys and their values")]
    Document {
        /// The key, and the requirement on it.
        detail: String,
    },
    /// A high-risk part that applies to nothing.
    #[error("high_risk.intents is empty; name the intent types that it is for")]
    NoIntents,
    /// An intent type that can be mistaken for another, or that no proposal has.
    #[error("high_risk.intents names {found:?}; write printable ASCII without spaces")]
    Intent {
        /// The intent type.
        found: String,
    },
}

impl From<Fault> for PolicyError {
    fn from(fault: Fault) -> Self {
        Self::Document {
            detail: fault.to_string(),
        }
    }
}
