//! `memory_verify` and `verify_result` as they stand in bytes (docs/format/exchange.md §6).

use serde::{Deserialize, Serialize};

use super::super::{
    Audience, DocumentError, DocumentKind, RequestHash, RequestedCheck, Testimony, Text,
    VerifyParts, VerifyResultParts,
};
use super::shared::{Version, WireParty, WireProof, WireRequestHeader, WireResponseHeader};
use super::{As, List};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Verify")
)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct WireVerify {
    #[cfg_attr(feature = "schema", schemars(with = "alloc::string::String", extend("const" = "memory_verify")))]
    r#type: DocumentKind,
    version: Version,
    header: WireRequestHeader,
    requester: WireParty,
    audience: As<Audience>,
    attestation_id: As<Text<1024>>,
    checks_requested: List<RequestedCheck, 1, 3>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<WireProof>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "VerifyResult")
)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct WireVerifyResult {
    #[cfg_attr(feature = "schema", schemars(with = "alloc::string::String", extend("const" = "verify_result")))]
    r#type: DocumentKind,
    version: Version,
    header: WireResponseHeader,
    in_response_to: As<RequestHash>,
    audience: As<Audience>,
    responder: WireParty,
    attestation_id: As<Text<1024>>,
    checks: WireTestimony,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<WireProof>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Checks")
)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct WireTestimony {
    #[serde(skip_serializing_if = "Option::is_none")]
    signature_valid: Option<Testimony>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence_accessible: Option<Testimony>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vouches_present: Option<Testimony>,
}

impl TryFrom<VerifyParts> for WireVerify {
    type Error = DocumentError;

    fn try_from(parts: VerifyParts) -> Result<Self, DocumentError> {
        Ok(Self {
            r#type: DocumentKind::Verify,
            version: Version::One,
            header: WireRequestHeader::of(parts.header)?,
            requester: parts.requester.into(),
            audience: As(parts.audience),
            attestation_id: As(parts.attestation_id),
            checks_requested: List(parts.checks_requested),
            proof: None,
        })
    }
}

impl TryFrom<WireVerify> for VerifyParts {
    type Error = DocumentError;

    fn try_from(wire: WireVerify) -> Result<Self, DocumentError> {
        let parts = Self {
            header: wire.header.read()?,
            requester: wire.requester.into(),
            audience: wire.audience.0,
            attestation_id: wire.attestation_id.0,
            checks_requested: wire.checks_requested.0,
        };
        parts.coherent()?;
        Ok(parts)
    }
}

impl TryFrom<VerifyResultParts> for WireVerifyResult {
    type Error = DocumentError;

    fn try_from(parts: VerifyResultParts) -> Result<Self, DocumentError> {
        let in_response_to = parts.in_response_to.ok_or(DocumentError::Incoherent(
            "a result that is written names the request's hash",
        ))?;
        Ok(Self {
            r#type: DocumentKind::VerifyResult,
            version: Version::One,
            header: WireResponseHeader::of(parts.header)?,
            in_response_to: As(in_response_to),
            audience: As(parts.audience),
            responder: parts.responder.into(),
            attestation_id: As(parts.attestation_id),
            checks: WireTestimony::of(&parts.checks)?,
            proof: None,
        })
    }
}

impl From<WireVerifyResult> for VerifyResultParts {
    fn from(wire: WireVerifyResult) -> Self {
        Self {
            header: wire.header.into(),
            in_response_to: Some(wire.in_response_to.0),
            audience: wire.audience.0,
            responder: wire.responder.into(),
            attestation_id: wire.attestation_id.0,
            checks: wire.checks.read(),
        }
    }
}

impl WireTestimony {
    fn of(checks: &[(RequestedCheck, Testimony)]) -> Result<Self, DocumentError> {
        let mut wire = Self::default();
        for (check, testimony) in checks {
            let place = match check {
                RequestedCheck::SignatureValid => &mut wire.signature_valid,
                RequestedCheck::EvidenceAccessible => &mut wire.evidence_accessible,
                RequestedCheck::VouchesPresent => &mut wire.vouches_present,
            };
            if place.replace(*testimony).is_some() {
                return Err(DocumentError::Incoherent(
                    "checks must name each check once",
                ));
            }
        }
        Ok(wire)
    }

    /// What is said, in the order of [`RequestedCheck`].
    pub(in super::super) fn read(&self) -> alloc::vec::Vec<(RequestedCheck, Testimony)> {
        let said = [
            (RequestedCheck::SignatureValid, self.signature_valid),
            (RequestedCheck::EvidenceAccessible, self.evidence_accessible),
            (RequestedCheck::VouchesPresent, self.vouches_present),
        ];
        said.into_iter()
            .filter_map(|(check, testimony)| Some((check, testimony?)))
            .collect()
    }
}
