//! `capability` as it stands in bytes (docs/format/exchange.md §6).

use counterfoil_capsule::Timestamp;
use counterfoil_verifier::note::VerifierKey;
use serde::{Deserialize, Serialize};

use super::super::{CapabilityParts, DocumentKind, Domain, RequestId, Text};
use super::shared::{Version, WireAgent, WireProof};
use super::{As, List, items, list};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Capability")
)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct WireCapability {
    #[cfg_attr(feature = "schema", schemars(with = "alloc::string::String", extend("const" = "capability")))]
    r#type: DocumentKind,
    version: Version,
    id: As<RequestId>,
    created_at: As<Timestamp>,
    agent: WireAgent,
    #[serde(skip_serializing_if = "Option::is_none")]
    domains: Option<List<As<Domain>, 1, 64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<As<Text<1024>>>,
    signs: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<As<VerifierKey>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<As<Text<2048>>>,
    #[cfg_attr(feature = "schema", schemars(required))]
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<WireProof>,
}

impl From<CapabilityParts> for WireCapability {
    fn from(parts: CapabilityParts) -> Self {
        Self {
            r#type: DocumentKind::Capability,
            version: Version::One,
            id: As(parts.id),
            created_at: As(parts.created_at),
            agent: parts.agent.into(),
            domains: list(parts.domains, As),
            description: parts.description.map(As),
            signs: parts.signs,
            log: parts.log.map(As),
            endpoint: parts.endpoint.map(As),
            proof: None,
        }
    }
}

impl From<WireCapability> for CapabilityParts {
    fn from(wire: WireCapability) -> Self {
        Self {
            id: wire.id.0,
            created_at: wire.created_at.0,
            agent: wire.agent.into(),
            domains: items(wire.domains, |domain| domain.0),
            description: wire.description.map(|text| text.0),
            signs: wire.signs,
            log: wire.log.map(|key| key.0),
            endpoint: wire.endpoint.map(|text| text.0),
        }
    }
}
