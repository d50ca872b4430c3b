//! `memory_response` as it stands in bytes (docs/format/exchange.md §3).

use alloc::format;
use alloc::vec::Vec;

use counterfoil_types::json::Value;
use counterfoil_types::{MAX_SAFE_INTEGER, VerificationMethod};
use counterfoil_verifier::opened::OpenedCapsule;
use serde::{Deserialize, Serialize};

use super::super::{
    Attestation, Audience, DocumentError, DocumentKind, Form, Member, Meta, RequestHash,
    ResponseParts, ResultParts, Status, StatusCode, Text, Vouch,
};
use super::shared::{Version, WireParty, WireProof, WireResponseHeader};
use super::{As, List, Share, Whole, items, list};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Response")
)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct WireResponse {
    #[cfg_attr(feature = "schema", schemars(with = "alloc::string::String", extend("const" = "memory_response")))]
    r#type: DocumentKind,
    version: Version,
    header: WireResponseHeader,
    in_response_to: As<RequestHash>,
    audience: As<Audience>,
    responder: WireParty,
    status: WireStatus,
    results: List<WireResult, 0, 100>,
    meta: WireMeta,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<WireProof>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Status")
)]
#[serde(deny_unknown_fields)]
struct WireStatus {
    code: StatusCode,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<As<Text<1024>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<As<Text<64>>>,
}

/// One memory. The documents inside of it are read by themselves.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Result")
)]
#[serde(deny_unknown_fields)]
struct WireResult {
    memory_id: As<Text<1024>>,
    #[cfg_attr(
        feature = "schema",
        schemars(with = "super::attestation::WireAttestation")
    )]
    attestation: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    relevance: Option<Share>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<As<Text<1024>>>,
    #[cfg_attr(feature = "schema", schemars(with = "Option<super::receipt::Receipt>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt: Option<Value>,
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<List<super::vouch::WireVouch, 1, 8>>")
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    vouches: Option<List<Value, 1, 8>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Meta")
)]
#[serde(deny_unknown_fields)]
struct WireMeta {
    returned: Whole<0, 100>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_matches: Option<Whole<0, MAX_SAFE_INTEGER>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    processing_time_ms: Option<Whole<0, MAX_SAFE_INTEGER>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<As<Text<1024>>>,
}

impl TryFrom<ResponseParts> for WireResponse {
    type Error = DocumentError;

    fn try_from(parts: ResponseParts) -> Result<Self, DocumentError> {
        let in_response_to = parts.in_response_to.ok_or(DocumentError::Incoherent(
            "a response that is written names the request's hash",
        ))?;
        let returned = u64::try_from(parts.results.len()).unwrap_or(u64::MAX);
        Ok(Self {
            r#type: DocumentKind::Response,
            version: Version::One,
            header: WireResponseHeader::of(parts.header)?,
            in_response_to: As(in_response_to),
            audience: As(parts.audience),
            responder: parts.responder.into(),
            status: WireStatus {
                code: parts.status.code,
                message: parts.status.message.map(As),
                problem: parts.status.problem.map(As),
            },
            results: List(
                parts
                    .results
                    .into_iter()
                    .map(WireResult::of)
                    .collect::<Result<_, _>>()?,
            ),
            meta: WireMeta {
                returned: Whole::new(returned),
                total_matches: parts.meta.total_matches.map(Whole::new),
                processing_time_ms: parts.meta.processing_time_ms.map(Whole::new),
                cursor: parts.meta.cursor.map(As),
            },
            proof: None,
        })
    }
}

impl TryFrom<WireResponse> for ResponseParts {
    type Error = DocumentError;

    fn try_from(wire: WireResponse) -> Result<Self, DocumentError> {
        let results = wire.results.0.into_iter().enumerate();
        let read = |(at, result): (usize, WireResult)| {
            result
                .read()
                .map_err(|error| error.under(&format!("/results/{at}")))
        };
        let results: Vec<ResultParts> = results.map(read).collect::<Result<_, _>>()?;
        let parts = Self {
            header: wire.header.into(),
            in_response_to: Some(wire.in_response_to.0),
            audience: wire.audience.0,
            responder: wire.responder.into(),
            status: Status {
                code: wire.status.code,
                message: wire.status.message.map(|text| text.0),
                problem: wire.status.problem.map(|text| text.0),
            },
            results,
            meta: Meta {
                total_matches: wire.meta.total_matches.map(Whole::get),
                processing_time_ms: wire.meta.processing_time_ms.map(Whole::get),
                cursor: wire.meta.cursor.map(|cursor| cursor.0),
            },
        };
        parts.coherent(Form::One, Some(wire.meta.returned.get()))?;
        Ok(parts)
    }
}

impl WireResult {
    fn of(result: ResultParts) -> Result<Self, DocumentError> {
        let vouches: Vec<Value> = result
            .vouches
            .iter()
            .map(Vouch::to_value)
            .collect::<Result<_, _>>()?;
        Ok(Self {
            memory_id: As(result.memory_id),
            attestation: result.attestation.value().clone(),
            relevance: result.relevance.map(Share),
            context: result.context.map(As),
            receipt: result.receipt.as_ref().map(OpenedCapsule::to_value),
            vouches: list(vouches, |vouch| vouch),
        })
    }

    fn read(self) -> Result<ResultParts, DocumentError> {
        let vouch = |(at, value): (usize, Value)| {
            Vouch::from_value(&value).map_err(|error| error.under(&format!("/vouches/{at}")))
        };
        let vouches = items(self.vouches, |vouch| vouch).into_iter().enumerate();
        Ok(ResultParts {
            memory_id: self.memory_id.0,
            attestation: Attestation::from_value(&self.attestation)
                .map_err(|error| error.under("/attestation"))?,
            relevance: self.relevance.map(|share| share.0),
            context: self.context.map(|text| text.0),
            receipt: self.receipt.as_ref().map(receipt).transpose()?,
            vouches: vouches.map(vouch).collect::<Result<_, _>>()?,
        })
    }
}

/// A receipt is under a log: of method `merkle` alone.
fn receipt(value: &Value) -> Result<OpenedCapsule, DocumentError> {
    let wrong = |must| DocumentError::Member {
        at: Member("/receipt".into()),
        must,
    };
    let receipt = OpenedCapsule::from_value(value)
        .map_err(|error| wrong(format!("an opened capsule: {error}")))?;
    match receipt.proof.method() {
        VerificationMethod::Merkle => Ok(receipt),
        _ => Err(wrong("an opened capsule under an inclusion proof".into())),
    }
}
