//! `vouch` and `vouch_revocation`: recommendations of one agent for another (docs/format/exchange.md §6; trust.md).

use alloc::vec::Vec;

use counterfoil_capsule::Timestamp;
use counterfoil_types::document::Text;
use counterfoil_types::{DidKey, words};
use serde::{Deserialize, Serialize};

use super::document::{ExchangeDocument, Parts, Reader, plain};
use super::member::Items;
use super::{Agent, DocumentHash, DocumentKind, Domain, RequestId};

/// A vouch as it was sent or received.
pub type Vouch = ExchangeDocument<VouchParts>;

/// The revocation of a vouch as it was sent or received.
pub type Revocation = ExchangeDocument<RevocationParts>;

words! {
    /// Competence in a domain, as a voucher states it.
    #[derive(PartialOrd, Ord, Hash)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Competence {
        /// Learning the domain.
        Learning = "learning",
        /// Competent.
        Competent = "competent",
        /// Expert.
        Expert = "expert",
        /// An authority for experts.
        Authority = "authority",
    }

    /// Confidence of a voucher.
    #[derive(PartialOrd, Ord, Hash)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum VouchConfidence {
        /// 300,000 ppm.
        Low = "low",
        /// 600,000 ppm.
        Medium = "medium",
        /// 1,000,000 ppm.
        High = "high",
    }
}

/// Members of a vouch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Vouch"))]
#[serde(from = "VouchJson", into = "VouchJson")]
pub struct VouchParts {
    /// Id drawn by the voucher.
    pub id: RequestId,
    /// Time of writing, by the voucher's clock.
    pub created_at: Timestamp,
    /// The agent that vouches.
    pub voucher: Agent,
    /// The agent that is vouched for: the key is its identity, and a name alone identifies no agent (case 94).
    pub subject: Agent,
    /// Id of the capability that is vouched for.
    pub capability_id: Option<Text<1024>>,
    /// Domain of the competence.
    pub domain: Domain,
    /// The recommendation in words.
    pub statement: Text<1024>,
    /// Competence of the subject.
    pub level: Competence,
    /// Acquaintance of the two agents.
    pub context: Option<Text<1024>>,
    /// Exchanges that the vouch rests on, at most 16.
    pub interaction_refs: Vec<Text<1024>>,
    /// Outcome of these exchanges.
    pub outcome: Option<Text<1024>>,
    /// Confidence of the voucher.
    pub confidence: VouchConfidence,
    /// Reason of the confidence.
    pub reason: Option<Text<1024>>,
    /// End of its validity; at most 365 days count.
    pub valid_until: Option<Timestamp>,
    /// Conditions in words. Shown, not checked.
    pub conditions: Option<Text<1024>>,
}

/// Members of a vouch.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct VouchJson {
    /// Id drawn by the voucher.
    id: RequestId,
    /// Time of writing, by the voucher's clock.
    created_at: Timestamp,
    /// The agent that vouches.
    voucher: Agent,
    /// The agent that is vouched for.
    subject: Subject,
    /// The recommendation.
    claim: Vouched,
    /// Grounds of the recommendation.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Grounds>,
    /// Confidence of the voucher.
    confidence: Confidence,
    /// Limits of the recommendation.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<Scope>,
}

/// The subject of a vouch: the key is its identity, and a name alone identifies no agent (case 94).
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Subject {
    /// Display name, which any agent may use.
    agent_id: Text<128>,
    /// Key that the agent signs with.
    public_key: DidKey,
    /// Id of the capability that is vouched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    capability_id: Option<Text<1024>>,
}

/// The recommendation of a vouch.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Vouched {
    /// Domain of the competence.
    domain: Domain,
    /// The recommendation in words.
    statement: Text<1024>,
    /// Competence of the subject.
    level: Competence,
}

/// Grounds of a vouch.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Grounds {
    /// Acquaintance of the two agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<Text<1024>>,
    /// Exchanges that the vouch rests on, at most 16.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(with = "Items::<Text<1024>, 1, 16>")]
    interaction_refs: Vec<Text<1024>>,
    /// Outcome of these exchanges.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Text<1024>>,
}

/// Confidence of a voucher, with its reason.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Confidence {
    /// The confidence.
    level: VouchConfidence,
    /// Its reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Text<1024>>,
}

/// Limits of a vouch.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Scope {
    /// End of its validity; at most 365 days count.
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_until: Option<Timestamp>,
    /// Conditions in words. Shown, not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    conditions: Option<Text<1024>>,
}

impl From<VouchJson> for VouchParts {
    fn from(json: VouchJson) -> Self {
        let grounds = json.evidence.unwrap_or_default();
        let scope = json.scope.unwrap_or_default();
        Self {
            id: json.id,
            created_at: json.created_at,
            voucher: json.voucher,
            subject: Agent {
                agent_id: json.subject.agent_id,
                public_key: json.subject.public_key,
            },
            capability_id: json.subject.capability_id,
            domain: json.claim.domain,
            statement: json.claim.statement,
            level: json.claim.level,
            context: grounds.context,
            interaction_refs: grounds.interaction_refs,
            outcome: grounds.outcome,
            confidence: json.confidence.level,
            reason: json.confidence.reason,
            valid_until: scope.valid_until,
            conditions: scope.conditions,
        }
    }
}

impl From<VouchParts> for VouchJson {
    fn from(parts: VouchParts) -> Self {
        let evidence = Grounds {
            context: parts.context,
            interaction_refs: parts.interaction_refs,
            outcome: parts.outcome,
        };
        let scope = Scope {
            valid_until: parts.valid_until,
            conditions: parts.conditions,
        };
        Self {
            id: parts.id,
            created_at: parts.created_at,
            voucher: parts.voucher,
            subject: Subject {
                agent_id: parts.subject.agent_id,
                public_key: parts.subject.public_key,
                capability_id: parts.capability_id,
            },
            claim: Vouched {
                domain: parts.domain,
                statement: parts.statement,
                level: parts.level,
            },
            evidence: Some(evidence).filter(|it| *it != Grounds::default()),
            confidence: Confidence {
                level: parts.confidence,
                reason: parts.reason,
            },
            scope: Some(scope).filter(|it| *it != Scope::default()),
        }
    }
}

/// Members of a revocation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Revocation"))]
#[serde(deny_unknown_fields)]
pub struct RevocationParts {
    /// Id drawn by the voucher.
    pub id: RequestId,
    /// Time of writing, by the voucher's clock.
    pub created_at: Timestamp,
    /// Id of the vouch.
    pub vouch_id: RequestId,
    /// Hash of the vouch.
    pub vouch_hash: DocumentHash,
    /// The agent that vouched.
    pub voucher: Agent,
    /// Reason of the revocation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Text<1024>>,
    /// Begin of its effect as the voucher states it. Shown; the time of receipt counts (case 93).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_from: Option<Timestamp>,
}

impl Parts for VouchParts {
    type Hash = DocumentHash;
    type Answers = ();

    const KIND: DocumentKind = DocumentKind::Vouch;
    const KEY: &'static str = "/voucher/public_key";
    const READ: Reader<Self> = plain;
    const SIGNED: bool = true;

    fn key(&self) -> Option<DidKey> {
        Some(self.voucher.public_key)
    }

    fn dated(&self) -> Option<Timestamp> {
        Some(self.created_at)
    }
}

impl Parts for RevocationParts {
    type Hash = DocumentHash;
    type Answers = ();

    const KIND: DocumentKind = DocumentKind::Revocation;
    const KEY: &'static str = "/voucher/public_key";
    const READ: Reader<Self> = plain;
    const SIGNED: bool = true;

    fn key(&self) -> Option<DidKey> {
        Some(self.voucher.public_key)
    }

    fn dated(&self) -> Option<Timestamp> {
        Some(self.created_at)
    }
}
