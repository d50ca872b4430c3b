//! `attestation`: one memory that an agent stands for (docs/format/exchange.md §4).

use alloc::boxed::Box;
use alloc::vec::Vec;

use counterfoil_capsule::Timestamp;
use counterfoil_types::document::Text;
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, words};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

use super::claim::Claim;
use super::document::{ExchangeDocument, Parts, Reader, plain};
use super::member::{Items, Share, True};
use super::{Chain, ClaimHash, DocumentError, DocumentHash, DocumentKind, Party, draft};

/// Largest attestation of an origin, in bytes.
pub const MAX_ORIGIN_BYTES: usize = 65_536;

/// An attestation as it was sent or received.
pub type Attestation = ExchangeDocument<AttestationParts>;

/// Members of an attestation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Attestation"))]
#[serde(deny_unknown_fields)]
pub struct AttestationParts {
    /// Name that the agent gives the memory.
    pub id: Text<1024>,
    /// The agent that attests; absent in a raw claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Party>,
    /// Time of writing, by that agent's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// The memory.
    pub claim: Claim,
    /// Reasons to keep it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub salience: Option<Salience>,
    /// The way by which it came to the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<MemoryProvenance>,
    /// Evidence that the agent names, at most 16.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(with = "Items::<EvidenceLink, 1, 16>")]
    pub evidence: Vec<EvidenceLink>,
    /// The agent that is given it may hand it on. Absent: it may not.
    #[serde(default, skip_serializing_if = "core::ops::Not::not", with = "True")]
    pub pass_on: bool,
}

words! {
    /// Expected worth of a memory, as the agent states it.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Category {
        /// Of lasting worth.
        Foundational = "foundational",
        /// For current work.
        Operational = "operational",
        /// For a short time.
        Ephemeral = "ephemeral",
        /// On trial.
        Experimental = "experimental",
    }

    /// Class of what an agent attests as its own word.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum OriginClass {
        /// Its user said so.
        User = "user",
        /// It has seen it itself.
        FirstHand = "first_hand",
        /// A tool gave it.
        Tool = "tool",
        /// A model said so, or derived it.
        Model = "model",
    }

    /// Source of a memory, as the agent states it.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum ProvenanceSource {
        /// Own experience.
        DirectExperience = "direct-experience",
        /// A conclusion.
        Inference = "inference",
        /// Another agent.
        Received = "received",
        /// A combination of memories.
        Aggregated = "aggregated",
    }
}

/// Reasons to keep a memory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Salience {
    /// Reason in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_kept: Option<Text<1024>>,
    /// Expected worth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// Confidence of the agent, 0 to 1. Shown, never counted.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "Share")]
    pub confidence: Option<f64>,
    /// End of its validity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_decay: Option<Decay>,
    /// Ids of attestations that it replaces, at most 16.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(with = "Items::<Text<1024>, 1, 16>")]
    pub supersedes: Vec<Text<1024>>,
}

/// Expected end of the validity of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "DecayJson", into = "DecayJson")]
pub enum Decay {
    /// None.
    Permanent,
    /// A time.
    TimeBound(Timestamp),
    /// A condition in words, which no check evaluates.
    Conditional(Option<Text<1024>>),
}

/// An expected decay in JSON.
#[derive(Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Decay", extend("allOf" = [
        {
            "if": { "properties": { "type": { "const": "time-bound" } } },
            "then": { "required": ["until"] },
            "else": { "properties": { "until": false } },
        },
        {
            "if": { "properties": { "type": { "const": "conditional" } } },
            "else": { "properties": { "condition": false } },
        },
    ]))
)]
#[serde(deny_unknown_fields)]
struct DecayJson {
    r#type: DecayKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<Text<1024>>,
}

words! {
    /// Kind of an expected decay.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    enum DecayKind {
        Permanent = "permanent",
        TimeBound = "time-bound",
        Conditional = "conditional",
    }
}

impl From<Decay> for DecayJson {
    fn from(decay: Decay) -> Self {
        let (r#type, until, condition) = match decay {
            Decay::Permanent => (DecayKind::Permanent, None, None),
            Decay::TimeBound(until) => (DecayKind::TimeBound, Some(until), None),
            Decay::Conditional(condition) => (DecayKind::Conditional, None, condition),
        };
        Self {
            r#type,
            until,
            condition,
        }
    }
}

impl TryFrom<DecayJson> for Decay {
    type Error = &'static str;

    fn try_from(json: DecayJson) -> Result<Self, &'static str> {
        match (json.r#type, json.until, json.condition) {
            (DecayKind::Permanent, None, None) => Ok(Self::Permanent),
            (DecayKind::TimeBound, Some(until), None) => Ok(Self::TimeBound(until)),
            (DecayKind::Conditional, None, condition) => Ok(Self::Conditional(condition)),
            _ => Err("time-bound with until, conditional with or without condition, or permanent"),
        }
    }
}

/// The way by which a memory came to the agent, as the agent states it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Provenance"))]
#[serde(deny_unknown_fields)]
pub struct MemoryProvenance {
    /// Source of the memory.
    pub source: ProvenanceSource,
    /// Class of the agent's own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<OriginClass>,
    /// Names of witnesses, at most 16. Names without keys count for nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(with = "Items::<Text<128>, 1, 16>")]
    pub witnesses: Vec<Text<128>>,
    /// The agents that handed the memory on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<Chain>,
    /// The attestation of the agent that said it first, signed, at most 65,536 bytes. It has no origin itself.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Attestation>"))]
    #[serde(default, skip_serializing_if = "Option::is_none", with = "Origin")]
    pub origin: Option<Box<Attestation>>,
}

/// An attestation inside of another one.
struct Origin;

impl Origin {
    fn serialize<S: Serializer>(
        origin: &Option<Box<Attestation>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let value = origin.as_ref().map(|origin| origin.to_value()).transpose();
        value.map_err(ser::Error::custom)?.serialize(to)
    }

    fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Box<Attestation>>, D::Error> {
        let value = Value::deserialize(from)?;
        // Looked at before it is read: an origin inside of an origin costs nothing.
        let is_first = value.pointer("/provenance/origin").is_none();
        if !is_first || value.get("proof").is_none() {
            return Err(de::Error::custom("signed, and without an origin itself"));
        }
        let origin = Attestation::from_value(&value).map_err(de::Error::custom)?;
        match !origin.is_draft() && origin.text().len() <= MAX_ORIGIN_BYTES {
            true => Ok(Some(Box::new(origin))),
            false => Err(de::Error::custom("of version 1, at most 65,536 bytes")),
        }
    }
}

/// A link to evidence for a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Evidence"))]
#[serde(deny_unknown_fields)]
pub struct EvidenceLink {
    /// URL of the evidence, unchecked.
    pub url: Text<2048>,
    /// Media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<Text<256>>,
    /// SHA-256 of the evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<DocumentHash>,
}

impl MemoryProvenance {
    /// The provenance of a memory of which the source alone is known.
    pub const fn of_source(source: ProvenanceSource) -> Self {
        Self {
            source,
            class: None,
            witnesses: Vec::new(),
            chain: None,
            origin: None,
        }
    }
}

impl Parts for AttestationParts {
    type Hash = DocumentHash;
    type Answers = ();

    const KIND: DocumentKind = DocumentKind::Attestation;
    const KEY: &'static str = "/agent/public_key";
    const READ: Reader<Self> = plain;
    const NESTED: bool = true;
    const DRAFT: Option<Reader<Self>> = Some(draft::attestation);

    fn key(&self) -> Option<DidKey> {
        self.agent.as_ref().and_then(|agent| agent.public_key)
    }

    fn dated(&self) -> Option<Timestamp> {
        self.created_at
    }
}

impl AttestationParts {
    /// A claim alone, as it is handed out raw.
    pub const fn of_claim(id: Text<1024>, claim: Claim) -> Self {
        Self {
            id,
            agent: None,
            created_at: None,
            claim,
            salience: None,
            provenance: None,
            evidence: Vec::new(),
            pass_on: false,
        }
    }

    /// The agents that handed the memory on.
    pub fn chain(&self) -> Option<&Chain> {
        self.provenance.as_ref()?.chain.as_ref()
    }

    /// The attestation of the agent that said it first, where this agent only hands it on.
    pub fn origin(&self) -> Option<&Attestation> {
        self.provenance.as_ref()?.origin.as_deref()
    }

    /// Has a model said so, by the word of this agent or of the origin? The weakest of them decides.
    pub fn is_inferred(&self) -> bool {
        let by_model = |parts: &Self| {
            parts.provenance.as_ref().is_some_and(|it| {
                it.source == ProvenanceSource::Inference || it.class == Some(OriginClass::Model)
            })
        };
        by_model(self) || self.origin().is_some_and(|it| it.parts().is_inferred())
    }

    /// Says it what the origin says, for no longer, and as no newer?
    ///
    /// Of a structured claim the words may differ; its kind may not, as it decides for how long the claim is current.
    pub fn repeats(&self, origin: &Self) -> bool {
        let (own, first) = (&self.claim, &origin.claim);
        let is_same = match &own.structured {
            Some(_) => own.kind == first.kind && own.structured == first.structured,
            None => own == first,
        };
        let decay = |parts: &Self| parts.salience.as_ref()?.expected_decay.clone();
        let is_newer = match (self.created_at, origin.created_at) {
            (Some(own), Some(first)) => own > first,
            (None, Some(_)) => true,
            (_, None) => false,
        };
        is_same && decay(self) == decay(origin) && !is_newer
    }
}

impl Attestation {
    /// Writes a claim and the evidence of it, as it is handed out raw.
    ///
    /// # Errors
    /// [`DocumentError::Member`] for a list that is too long.
    pub fn raw(
        id: Text<1024>,
        claim: Claim,
        evidence: Vec<EvidenceLink>,
    ) -> Result<Self, DocumentError> {
        Self::unsigned(&AttestationParts {
            evidence,
            ..AttestationParts::of_claim(id, claim)
        })
    }

    /// Hash of the claim, equal for all agents that attest it.
    pub fn claim_hash(&self) -> ClaimHash {
        self.parts().claim.hash()
    }
}
