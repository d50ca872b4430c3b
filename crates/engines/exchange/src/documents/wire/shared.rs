//! What several documents have: type, version, parties, headers, proofs (docs/format/exchange.md §1).

use counterfoil_capsule::Timestamp;
use counterfoil_capsule::integrity::Created;
use counterfoil_types::DidKey;
use serde::{Deserialize, Serialize};

use super::super::{DocumentError, Nonce, Party, RequestHeader, RequestId, ResponseHeader, Text};
use super::As;

/// The version that is written.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in super::super) enum Version {
    #[serde(rename = "1")]
    One,
}

/// An agent whose key is not said where nothing is signed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Party")
)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct WireParty {
    agent_id: As<Text<128>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    public_key: Option<As<DidKey>>,
}

/// An agent with its key.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Agent")
)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct WireAgent {
    agent_id: As<Text<128>>,
    public_key: As<DidKey>,
}

/// A proof of `eddsa-jcs-2022` (vc-di-eddsa §3.3): read here for its shape alone.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Proof")
)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(in super::super) struct WireProof {
    r#type: ProofType,
    cryptosuite: Suite,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<As<Created>>,
    verification_method: As<Text<128>>,
    proof_purpose: ProofPurpose,
    proof_value: As<Text<96>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<As<Text<128>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    challenge: Option<As<Text<64>>>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum ProofType {
    DataIntegrityProof,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum Suite {
    #[serde(rename = "eddsa-jcs-2022")]
    EddsaJcs2022,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
enum ProofPurpose {
    Authentication,
    AssertionMethod,
}

/// The header of a request.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "RequestHeader")
)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct WireRequestHeader {
    request_id: As<RequestId>,
    nonce: As<Nonce>,
    timestamp: As<Timestamp>,
    expires: As<Timestamp>,
}

/// The header of a response.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "ResponseHeader")
)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct WireResponseHeader {
    request_id: As<RequestId>,
    response_id: As<RequestId>,
    timestamp: As<Timestamp>,
}

impl From<Party> for WireParty {
    fn from(party: Party) -> Self {
        Self {
            agent_id: As(party.agent_id),
            public_key: party.public_key.map(As),
        }
    }
}

impl From<WireParty> for Party {
    fn from(wire: WireParty) -> Self {
        Self {
            agent_id: wire.agent_id.0,
            public_key: wire.public_key.map(|key| key.0),
        }
    }
}

impl From<(Text<128>, DidKey)> for WireAgent {
    fn from((name, key): (Text<128>, DidKey)) -> Self {
        Self {
            agent_id: As(name),
            public_key: As(key),
        }
    }
}

impl From<WireAgent> for (Text<128>, DidKey) {
    fn from(wire: WireAgent) -> Self {
        (wire.agent_id.0, wire.public_key.0)
    }
}

impl WireRequestHeader {
    pub(in super::super) fn of(header: RequestHeader) -> Result<Self, DocumentError> {
        let nonce = header.nonce.ok_or(DocumentError::Incoherent(
            "a request that is written needs a nonce; draw one",
        ))?;
        Ok(Self {
            request_id: As(header.request_id),
            nonce: As(nonce),
            timestamp: As(header.timestamp),
            expires: As(header.expires),
        })
    }

    /// `expires` is at `timestamp` or at most 300 s after it (R5).
    pub(in super::super) fn read(self) -> Result<RequestHeader, DocumentError> {
        let header = RequestHeader {
            request_id: self.request_id.0,
            nonce: Some(self.nonce.0),
            timestamp: self.timestamp.0,
            expires: self.expires.0,
        };
        header.coherent()?;
        Ok(header)
    }
}

impl WireResponseHeader {
    pub(in super::super) fn of(header: ResponseHeader) -> Result<Self, DocumentError> {
        let response_id = header.response_id.ok_or(DocumentError::Incoherent(
            "a response that is written needs a response_id; draw one",
        ))?;
        Ok(Self {
            request_id: As(header.request_id),
            response_id: As(response_id),
            timestamp: As(header.timestamp),
        })
    }
}

impl From<WireResponseHeader> for ResponseHeader {
    fn from(wire: WireResponseHeader) -> Self {
        Self {
            request_id: wire.request_id.0,
            response_id: Some(wire.response_id.0),
            timestamp: wire.timestamp.0,
        }
    }
}
