//! Policies by name: the usual ones, and one for each SHOULD of the specification (SR-01 to SR-04).

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use counterfoil_trace::MAX_SELECTED;
use counterfoil_trace::types::{Confidence, words};
use counterfoil_verifier::Strength;
use counterfoil_verifier::envelope::DEFAULT_AUDIENCE;

use super::{AuthorRule, ForgottenRule, Policy, UnprovenRule};

/// One minute: what clocks that are kept in step by NTP need, with room.
const ONE_MINUTE_MS: u64 = 60_000;
/// One hour.
const ONE_HOUR_MS: u64 = 3_600_000;

words! {
    /// A policy by name; a policy document overrides single rules of it.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum Preset {
        /// Requires a signed proposal, a trace, proofs of method `signature` or `merkle` that disclose what was remembered, its
        /// author and standing in its log, one actor, one World, times in order and no duplicates. An unproven memory leaves the decision open.
        #[default]
        Standard = "standard",
        /// Refuses false proofs and nothing that is merely absent: needs no trace, lets unproven memories through, and
        /// allows several actors and Worlds.
        Permissive = "permissive",
        /// The checks of §7.4.1 and no more, for plain Manifesto proposals: as `permissive`, by the specification's name. It
        /// asks for no trace, evidence or signature; confidence, selectors, counts and age are the host's to set.
        Manifesto = "manifesto",
        /// SR-01 to SR-04 together: method `merkle`, unproven and `verified: false` refused, at most an hour old, at least one
        /// memory; authors among the anchors, nothing superseded or forgotten.
        HighRisk = "high-risk",
        /// SR-01, verify memory refs before high-risk decisions: a memory must be proven.
        Sr01 = "sr-01",
        /// SR-02, prefer verified memories: an unproven memory leaves the decision open.
        Sr02 = "sr-02",
        /// SR-03, reject unverified memories for high-risk intents: as SR-01, and `verified: false` is refused.
        Sr03 = "sr-03",
        /// SR-04, high-risk proposals include evidence: every memory carries evidence of some method. That of `existence` and
        /// `hash` is accepted for it, and proves nothing.
        Sr04 = "sr-04",
    }
}

impl Preset {
    pub(super) fn policy(self) -> Policy {
        let standard = standard();
        match self {
            // The standard leaves the decision about an unproven memory open, which is all of SR-02.
            Self::Standard | Self::Sr02 => standard,
            Self::Permissive | Self::Manifesto => Policy {
                require_signed: false,
                require_trace: false,
                minimum_method: Strength::Existence,
                require_disclosed: Vec::new(),
                require_author: AuthorRule::Any,
                require_standing: false,
                refuse_forked: false,
                refuse_compromised: false,
                refuse_erased: false,
                refuse_forgotten: ForgottenRule::None,
                refuse_contested: false,
                unproven: UnprovenRule::Allow,
                require_at_base_world: false,
                require_same_actor: false,
                refuse_duplicates: false,
                require_resolved: false,
                ..standard
            },
            Self::HighRisk => Policy {
                minimum_memories: 1,
                minimum_method: Strength::Merkle,
                require_author: AuthorRule::Anchored,
                require_current: true,
                refuse_forgotten: ForgottenRule::All,
                unproven: UnprovenRule::Refuse,
                maximum_age_ms: Some(ONE_HOUR_MS),
                refuse_claimed_unverified: true,
                require_external: true,
                ..standard
            },
            Self::Sr01 => Policy {
                unproven: UnprovenRule::Refuse,
                ..standard
            },
            Self::Sr03 => Policy {
                unproven: UnprovenRule::Refuse,
                refuse_claimed_unverified: true,
                ..standard
            },
            Self::Sr04 => Policy {
                minimum_method: Strength::Existence,
                require_disclosed: Vec::new(),
                require_author: AuthorRule::Any,
                require_standing: false,
                refuse_contested: false,
                unproven: UnprovenRule::Refuse,
                ..standard
            },
        }
    }
}

fn standard() -> Policy {
    Policy {
        name: DEFAULT_AUDIENCE.into(),
        require_signed: true,
        require_trace: true,
        no_memory: UnprovenRule::Allow,
        minimum_method: Strength::Signature,
        require_disclosed: vec![String::new()],
        require_author: AuthorRule::Known,
        require_standing: true,
        require_current: false,
        refuse_forked: true,
        refuse_compromised: true,
        refuse_erased: true,
        refuse_forgotten: ForgottenRule::Global,
        refuse_contested: true,
        unproven: UnprovenRule::Indeterminate,
        minimum_confidence: Confidence::ZERO,
        minimum_memories: 0,
        maximum_memories: MAX_SELECTED,
        maximum_age_ms: None,
        allowed_skew_ms: ONE_MINUTE_MS,
        allowed_selectors: None,
        allowed_methods: None,
        trusted_methods: Vec::new(),
        verifier_ranks: BTreeMap::new(),
        require_at_base_world: true,
        require_same_actor: true,
        selectors: Vec::new(),
        require_time_order: true,
        refuse_duplicates: true,
        refuse_claimed_unverified: false,
        require_resolved: true,
        require_external: false,
        minimum_sources: 0,
        maximum_confirmed_days: None,
        refused_markers: Vec::new(),
        high_risk: None,
    }
}
