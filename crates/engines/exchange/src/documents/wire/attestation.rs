//! `attestation` as it stands in bytes (docs/format/exchange.md §4).

use alloc::vec::Vec;

use counterfoil_capsule::Timestamp;
use counterfoil_claims::time::Boundary;
use counterfoil_claims::{FactValue, Identifier};
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, Sha256Hash};
use serde::{Deserialize, Serialize};

use super::super::{
    AttestationParts, Category, Chain, Claim, ClaimHash, ClaimKind, Decay, DocumentError,
    DocumentKind, Evidence, Hop, Member, ProvenanceSource, Salience, StructuredClaim, Text,
};
use super::shared::{Version, WireParty, WireProof};
use super::{As, List, Share, items, list};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Attestation")
)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct WireAttestation {
    #[cfg_attr(feature = "schema", schemars(with = "alloc::string::String", extend("const" = "attestation")))]
    r#type: DocumentKind,
    version: Version,
    id: As<Text<1024>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<WireParty>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<As<Timestamp>>,
    claim: WireClaim,
    #[serde(skip_serializing_if = "Option::is_none")]
    salience: Option<WireSalience>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<WireProvenance>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<List<WireEvidence, 1, 16>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<WireProof>,
}

/// The claim alone: its canonical form is what it is known by.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Claim", extend("dependentRequired" = {
        "subject": ["predicate", "value"], "predicate": ["subject", "value"],
        "value": ["subject", "predicate"], "valid_from": ["subject"], "valid_until": ["subject"],
    }))
)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct WireClaim {
    r#type: ClaimKind,
    content: As<Text<65536>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<As<Text<4096>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    references: Option<List<As<Text<1024>>, 1, 16>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<As<Identifier>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    predicate: Option<As<Identifier>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_from: Option<As<Boundary>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_until: Option<As<Boundary>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Salience")
)]
#[serde(deny_unknown_fields)]
struct WireSalience {
    #[serde(skip_serializing_if = "Option::is_none")]
    why_kept: Option<As<Text<1024>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<Category>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<Share>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_decay: Option<WireDecay>,
    #[serde(skip_serializing_if = "Option::is_none")]
    supersedes: Option<List<As<Text<1024>>, 1, 16>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
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
struct WireDecay {
    r#type: DecayKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<As<Timestamp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<As<Text<1024>>>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum DecayKind {
    Permanent,
    TimeBound,
    Conditional,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Provenance")
)]
#[serde(deny_unknown_fields)]
struct WireProvenance {
    source: ProvenanceSource,
    #[serde(skip_serializing_if = "Option::is_none")]
    witnesses: Option<List<As<Text<128>>, 1, 16>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chain: Option<List<WireHop, 1, 16>>,
}

/// One agent that has handed a memory on; without `signature` it is what is signed (§5).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Hop")
)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct WireHop {
    agent: As<DidKey>,
    claim: As<ClaimHash>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<As<Sha256Hash>>,
    at: As<Timestamp>,
    signature: As<[u8; 64]>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Evidence")
)]
#[serde(deny_unknown_fields)]
struct WireEvidence {
    url: As<Text<2048>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<As<Text<256>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<As<Sha256Hash>>,
}

impl TryFrom<AttestationParts> for WireAttestation {
    type Error = DocumentError;

    fn try_from(parts: AttestationParts) -> Result<Self, DocumentError> {
        let provenance = match parts.source {
            Some(source) => Some(WireProvenance {
                source,
                witnesses: list(parts.witnesses, As),
                chain: parts
                    .chain
                    .map(|chain| List(chain.hops.into_iter().map(WireHop::from).collect())),
            }),
            None if parts.witnesses.is_empty() && parts.chain.is_none() => None,
            None => {
                return Err(DocumentError::Incoherent(
                    "witnesses and a chain stand beside a source; say where it is from",
                ));
            }
        };
        Ok(Self {
            r#type: DocumentKind::Attestation,
            version: Version::One,
            id: As(parts.id),
            agent: parts.agent.map(WireParty::from),
            created_at: parts.created_at.map(As),
            claim: parts.claim.into(),
            salience: parts.salience.map(WireSalience::from),
            provenance,
            evidence: list(parts.evidence, WireEvidence::from),
            proof: None,
        })
    }
}

impl TryFrom<WireAttestation> for AttestationParts {
    type Error = DocumentError;

    fn try_from(wire: WireAttestation) -> Result<Self, DocumentError> {
        let (source, witnesses, chain) = match wire.provenance {
            None => (None, Vec::new(), None),
            Some(from) => {
                let chain = from.chain.map(|hops| Chain {
                    hops: hops.0.into_iter().map(Hop::from).collect(),
                });
                (
                    Some(from.source),
                    items(from.witnesses, |name| name.0),
                    chain,
                )
            }
        };
        Ok(Self {
            id: wire.id.0,
            agent: wire.agent.map(Into::into),
            created_at: wire.created_at.map(|at| at.0),
            claim: wire.claim.try_into()?,
            salience: wire.salience.map(Salience::try_from).transpose()?,
            source,
            witnesses,
            chain,
            evidence: items(wire.evidence, Evidence::from),
        })
    }
}

impl From<Claim> for WireClaim {
    fn from(claim: Claim) -> Self {
        let mut wire = Self {
            r#type: claim.kind,
            content: As(claim.content),
            context: claim.context.map(As),
            references: list(claim.references, As),
            subject: None,
            predicate: None,
            value: None,
            valid_from: None,
            valid_until: None,
        };
        if let Some(fact) = claim.structured {
            wire.subject = Some(As(fact.subject));
            wire.predicate = Some(As(fact.predicate));
            wire.value = Some(fact.value.to_json());
            wire.valid_from = fact.valid_from.map(As);
            wire.valid_until = fact.valid_until.map(As);
        }
        wire
    }
}

impl TryFrom<WireClaim> for Claim {
    type Error = DocumentError;

    fn try_from(wire: WireClaim) -> Result<Self, DocumentError> {
        let structured = match (wire.subject, wire.predicate, wire.value) {
            (Some(subject), Some(predicate), Some(value)) => Some(StructuredClaim {
                subject: subject.0,
                predicate: predicate.0,
                value: FactValue::new(&value).map_err(|_| DocumentError::Member {
                    at: Member("/claim/value".into()),
                    must: "at most 65,536 bytes, 8,192 values and 62 levels".into(),
                })?,
                valid_from: wire.valid_from.map(|at| at.0),
                valid_until: wire.valid_until.map(|at| at.0),
            }),
            (None, None, None) if wire.valid_from.is_none() && wire.valid_until.is_none() => None,
            _ => {
                return Err(DocumentError::Incoherent(
                    "a structured claim has subject, predicate and value; add what is missing, or leave out all of it",
                ));
            }
        };
        Ok(Self {
            kind: wire.r#type,
            content: wire.content.0,
            context: wire.context.map(|context| context.0),
            references: items(wire.references, |reference| reference.0),
            structured,
        })
    }
}

impl From<Salience> for WireSalience {
    fn from(salience: Salience) -> Self {
        let decay = |decay| {
            let (r#type, until, condition) = match decay {
                Decay::Permanent => (DecayKind::Permanent, None, None),
                Decay::TimeBound(until) => (DecayKind::TimeBound, Some(As(until)), None),
                Decay::Conditional(condition) => (DecayKind::Conditional, None, condition.map(As)),
            };
            WireDecay {
                r#type,
                until,
                condition,
            }
        };
        Self {
            why_kept: salience.why_kept.map(As),
            category: salience.category,
            confidence: salience.confidence.map(Share),
            expected_decay: salience.expected_decay.map(decay),
            supersedes: list(salience.supersedes, As),
        }
    }
}

impl TryFrom<WireSalience> for Salience {
    type Error = DocumentError;

    fn try_from(wire: WireSalience) -> Result<Self, DocumentError> {
        Ok(Self {
            why_kept: wire.why_kept.map(|why| why.0),
            category: wire.category,
            confidence: wire.confidence.map(|share| share.0),
            expected_decay: wire.expected_decay.map(Decay::try_from).transpose()?,
            supersedes: items(wire.supersedes, |id| id.0),
        })
    }
}

impl TryFrom<WireDecay> for Decay {
    type Error = DocumentError;

    fn try_from(wire: WireDecay) -> Result<Self, DocumentError> {
        match (wire.r#type, wire.until, wire.condition) {
            (DecayKind::Permanent, None, None) => Ok(Self::Permanent),
            (DecayKind::TimeBound, Some(until), None) => Ok(Self::TimeBound(until.0)),
            (DecayKind::Conditional, None, condition) => {
                Ok(Self::Conditional(condition.map(|text| text.0)))
            }
            _ => Err(DocumentError::Incoherent(
                "expected_decay has until when it is time-bound, may have condition when it is conditional, and else neither",
            )),
        }
    }
}

impl From<Hop> for WireHop {
    fn from(hop: Hop) -> Self {
        Self {
            agent: As(hop.agent),
            claim: As(hop.claim),
            previous: hop.previous.map(As),
            at: As(hop.at),
            signature: As(hop.signature),
        }
    }
}

impl From<WireHop> for Hop {
    fn from(wire: WireHop) -> Self {
        Self {
            agent: wire.agent.0,
            claim: wire.claim.0,
            previous: wire.previous.map(|hash| hash.0),
            at: wire.at.0,
            signature: wire.signature.0,
        }
    }
}

impl From<Evidence> for WireEvidence {
    fn from(evidence: Evidence) -> Self {
        Self {
            url: As(evidence.url),
            media_type: evidence.media_type.map(As),
            hash: evidence.hash.map(As),
        }
    }
}

impl From<WireEvidence> for Evidence {
    fn from(wire: WireEvidence) -> Self {
        Self {
            url: wire.url.0,
            media_type: wire.media_type.map(|text| text.0),
            hash: wire.hash.map(|hash| hash.0),
        }
    }
}
