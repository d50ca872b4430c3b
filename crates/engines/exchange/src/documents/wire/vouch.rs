//! `vouch` and `vouch_revocation` as they stand in bytes (docs/format/exchange.md §6).

use counterfoil_capsule::Timestamp;
use counterfoil_types::DidKey;
use serde::{Deserialize, Serialize};

use super::super::{
    Competence, DocumentHash, DocumentKind, Domain, RequestId, RevocationParts, Text,
    VouchConfidence, VouchParts,
};
use super::shared::{Version, WireAgent, WireProof};
use super::{As, List, items, list};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Vouch")
)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct WireVouch {
    #[cfg_attr(feature = "schema", schemars(with = "alloc::string::String", extend("const" = "vouch")))]
    r#type: DocumentKind,
    version: Version,
    id: As<RequestId>,
    created_at: As<Timestamp>,
    voucher: WireAgent,
    subject: WireSubject,
    claim: WireVouched,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<WireGrounds>,
    confidence: WireConfidence,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<WireScope>,
    #[cfg_attr(feature = "schema", schemars(required))]
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<WireProof>,
}

/// For whom: the key is the identity, so a name alone is nobody (case 94).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Subject")
)]
#[serde(deny_unknown_fields)]
struct WireSubject {
    agent_id: As<Text<128>>,
    public_key: As<DidKey>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capability_id: Option<As<Text<1024>>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Vouched")
)]
#[serde(deny_unknown_fields)]
struct WireVouched {
    domain: As<Domain>,
    statement: As<Text<1024>>,
    level: Competence,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Grounds")
)]
#[serde(deny_unknown_fields)]
struct WireGrounds {
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<As<Text<1024>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interaction_refs: Option<List<As<Text<1024>>, 1, 16>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<As<Text<1024>>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Confidence")
)]
#[serde(deny_unknown_fields)]
struct WireConfidence {
    level: VouchConfidence,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<As<Text<1024>>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Scope")
)]
#[serde(deny_unknown_fields)]
struct WireScope {
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_until: Option<As<Timestamp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conditions: Option<As<Text<1024>>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Revocation")
)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct WireRevocation {
    #[cfg_attr(feature = "schema", schemars(with = "alloc::string::String", extend("const" = "vouch_revocation")))]
    r#type: DocumentKind,
    version: Version,
    id: As<RequestId>,
    created_at: As<Timestamp>,
    vouch_id: As<RequestId>,
    vouch_hash: As<DocumentHash>,
    voucher: WireAgent,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<As<Text<1024>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effective_from: Option<As<Timestamp>>,
    #[cfg_attr(feature = "schema", schemars(required))]
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<WireProof>,
}

impl From<VouchParts> for WireVouch {
    fn from(parts: VouchParts) -> Self {
        let (name, key) = parts.subject;
        let grounds = parts.context.is_some()
            || parts.outcome.is_some()
            || !parts.interaction_refs.is_empty();
        let scope = parts.valid_until.is_some() || parts.conditions.is_some();
        Self {
            r#type: DocumentKind::Vouch,
            version: Version::One,
            id: As(parts.id),
            created_at: As(parts.created_at),
            voucher: parts.voucher.into(),
            subject: WireSubject {
                agent_id: As(name),
                public_key: As(key),
                capability_id: parts.capability_id.map(As),
            },
            claim: WireVouched {
                domain: As(parts.domain),
                statement: As(parts.statement),
                level: parts.level,
            },
            evidence: grounds.then(|| WireGrounds {
                context: parts.context.map(As),
                interaction_refs: list(parts.interaction_refs, As),
                outcome: parts.outcome.map(As),
            }),
            confidence: WireConfidence {
                level: parts.confidence,
                reason: parts.reason.map(As),
            },
            scope: scope.then(|| WireScope {
                valid_until: parts.valid_until.map(As),
                conditions: parts.conditions.map(As),
            }),
            proof: None,
        }
    }
}

impl From<WireVouch> for VouchParts {
    fn from(wire: WireVouch) -> Self {
        let (context, refs, outcome) = wire.evidence.map_or((None, None, None), |from| {
            (from.context, from.interaction_refs, from.outcome)
        });
        let (until, conditions) = wire
            .scope
            .map_or((None, None), |scope| (scope.valid_until, scope.conditions));
        Self {
            id: wire.id.0,
            created_at: wire.created_at.0,
            voucher: wire.voucher.into(),
            subject: (wire.subject.agent_id.0, wire.subject.public_key.0),
            capability_id: wire.subject.capability_id.map(|id| id.0),
            domain: wire.claim.domain.0,
            statement: wire.claim.statement.0,
            level: wire.claim.level,
            context: context.map(|text| text.0),
            interaction_refs: items(refs, |reference| reference.0),
            outcome: outcome.map(|text| text.0),
            confidence: wire.confidence.level,
            reason: wire.confidence.reason.map(|text| text.0),
            valid_until: until.map(|at| at.0),
            conditions: conditions.map(|text| text.0),
        }
    }
}

impl From<RevocationParts> for WireRevocation {
    fn from(parts: RevocationParts) -> Self {
        Self {
            r#type: DocumentKind::Revocation,
            version: Version::One,
            id: As(parts.id),
            created_at: As(parts.created_at),
            vouch_id: As(parts.vouch_id),
            vouch_hash: As(parts.vouch_hash),
            voucher: parts.voucher.into(),
            reason: parts.reason.map(As),
            effective_from: parts.effective_from.map(As),
            proof: None,
        }
    }
}

impl From<WireRevocation> for RevocationParts {
    fn from(wire: WireRevocation) -> Self {
        Self {
            id: wire.id.0,
            created_at: wire.created_at.0,
            vouch_id: wire.vouch_id.0,
            vouch_hash: wire.vouch_hash.0,
            voucher: wire.voucher.into(),
            reason: wire.reason.map(|text| text.0),
            effective_from: wire.effective_from.map(|at| at.0),
        }
    }
}
