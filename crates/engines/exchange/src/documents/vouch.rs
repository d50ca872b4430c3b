//! `vouch` and `vouch_revocation`: recommendations of one agent for another (docs/format/exchange.md §6; trust.md).

use alloc::vec::Vec;

use counterfoil_capsule::Timestamp;
use counterfoil_types::document::Text;
use counterfoil_types::{DidKey, words};
use serde::{Deserialize, Serialize};

use super::document::{ExchangeDocument, OpenParts, Parts, Reader, plain};
use super::member::Items;
use super::{Agent, DocumentError, DocumentHash, DocumentKind, Domain, RequestId};

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
#[serde(deny_unknown_fields)]
pub struct VouchParts {
    /// Id drawn by the voucher.
    pub id: RequestId,
    /// Time of writing, by the voucher's clock.
    pub created_at: Timestamp,
    /// The agent that vouches.
    pub voucher: Agent,
    /// The agent that is vouched for.
    pub subject: VouchSubject,
    /// The recommendation.
    pub claim: VouchClaim,
    /// Grounds of the recommendation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<VouchGrounds>,
    /// Confidence of the voucher.
    pub confidence: StatedConfidence,
    /// Limits of the recommendation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<VouchScope>,
}

/// The subject of a vouch: the key is its identity, and a name alone identifies no agent (case 94).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Subject"))]
#[serde(deny_unknown_fields)]
pub struct VouchSubject {
    /// Display name, which any agent may use.
    pub agent_id: Text<128>,
    /// Key that the agent signs with.
    pub public_key: DidKey,
    /// Id of the capability that is vouched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capability_id: Option<Text<1024>>,
}

/// The recommendation of a vouch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Vouched"))]
#[serde(deny_unknown_fields)]
pub struct VouchClaim {
    /// Domain of the competence.
    pub domain: Domain,
    /// The recommendation in words.
    pub statement: Text<1024>,
    /// Competence of the subject.
    pub level: Competence,
}

/// Grounds of a vouch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Grounds"))]
#[serde(deny_unknown_fields)]
pub struct VouchGrounds {
    /// Acquaintance of the two agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Text<1024>>,
    /// Exchanges that the vouch rests on, at most 16.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(with = "Items::<Text<1024>, 1, 16>")]
    pub interaction_refs: Vec<Text<1024>>,
    /// Outcome of these exchanges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Text<1024>>,
}

/// Confidence of a voucher, with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Confidence"))]
#[serde(deny_unknown_fields)]
pub struct StatedConfidence {
    /// The confidence.
    pub level: VouchConfidence,
    /// Its reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Text<1024>>,
}

/// Limits of a vouch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Scope"))]
#[serde(deny_unknown_fields)]
pub struct VouchScope {
    /// End of its validity; at most 365 days count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Timestamp>,
    /// Conditions in words. Shown, not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Text<1024>>,
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

    const KIND: DocumentKind = DocumentKind::Vouch;
    const KEY: &'static str = "/voucher/public_key";
    const READ: Reader<Self> = plain;
    const SIGNED: bool = true;

    fn key(&self) -> Option<DidKey> {
        Some(self.voucher.public_key)
    }
}

impl OpenParts for VouchParts {
    fn name_signer(&mut self, key: DidKey) -> Result<Timestamp, DocumentError> {
        self.voucher.public_key = key;
        Ok(self.created_at)
    }
}

impl Parts for RevocationParts {
    type Hash = DocumentHash;

    const KIND: DocumentKind = DocumentKind::Revocation;
    const KEY: &'static str = "/voucher/public_key";
    const READ: Reader<Self> = plain;
    const SIGNED: bool = true;

    fn key(&self) -> Option<DidKey> {
        Some(self.voucher.public_key)
    }
}

impl OpenParts for RevocationParts {
    fn name_signer(&mut self, key: DidKey) -> Result<Timestamp, DocumentError> {
        self.voucher.public_key = key;
        Ok(self.created_at)
    }
}
