//! `memory_verify` and `verify_result`: testimony of a responder about its own memory (docs/format/exchange.md §6; R9).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use counterfoil_capsule::integrity::{Binding, KnownKeys};
use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_types::document::Text;
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, Sha256Hash, words};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::document::{ExchangeDocument, Parts, Reader, plain};
use super::member::{Items, Required};
use super::request::{answered, asker, request_digest};
use super::{
    Audience, DocumentError, DocumentHash, DocumentKind, Nonce, Party, RequestHash, RequestHeader,
    ResponseHeader, Signature, draft,
};

/// A question to a responder about one of its memories.
pub type VerifyRequest = ExchangeDocument<VerifyParts>;

/// Testimony of a responder about its memory, which no check counts.
pub type VerifyResult = ExchangeDocument<VerifyResultParts>;

/// Members of a verification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Verify"))]
#[serde(deny_unknown_fields)]
pub struct VerifyParts {
    /// Id, nonce and times.
    pub header: RequestHeader,
    /// The agent that asks.
    pub requester: Party,
    /// The agent that is asked.
    pub audience: Audience,
    /// Id of the memory.
    pub attestation_id: Text<1024>,
    /// The requested checks, each once.
    #[serde(with = "Items::<RequestedCheck, 1, 3>")]
    pub checks_requested: Vec<RequestedCheck>,
}

words! {
    /// A check that a responder can make of its memory.
    #[derive(PartialOrd, Ord)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum RequestedCheck {
        /// `signature_valid`
        SignatureValid = "signature_valid",
        /// `evidence_accessible`
        EvidenceAccessible = "evidence_accessible",
        /// `vouches_present`
        VouchesPresent = "vouches_present",
    }

    /// Result of a check as a responder states it.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Testimony {
        /// The check passed.
        Pass = "pass",
        /// The check failed.
        Fail = "fail",
        /// The check was not made.
        Skip = "skip",
    }
}

/// Members of the result of a verification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "VerifyResult"))]
#[serde(deny_unknown_fields)]
pub struct VerifyResultParts {
    /// Ids and time.
    pub header: ResponseHeader,
    /// Hash of the verification; absent in drafts.
    #[serde(with = "Required::<RequestHash>")]
    pub in_response_to: Option<RequestHash>,
    /// The agent that asked.
    pub audience: Audience,
    /// The agent that answers.
    pub responder: Party,
    /// Id of the memory.
    pub attestation_id: Text<1024>,
    /// Results of the checks.
    #[serde(with = "Testimonies")]
    pub checks: BTreeMap<RequestedCheck, Testimony>,
}

/// Results of checks as a responder states them.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Checks"))]
#[serde(deny_unknown_fields)]
struct Testimonies {
    /// Does the signature of the memory hold?
    signature_valid: Option<Testimony>,
    /// Is the evidence accessible?
    evidence_accessible: Option<Testimony>,
    /// Are there vouches for the attesting agent?
    vouches_present: Option<Testimony>,
}

impl Testimonies {
    fn serialize<S: Serializer>(
        checks: &BTreeMap<RequestedCheck, Testimony>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        checks.serialize(to)
    }

    fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeMap<RequestedCheck, Testimony>, D::Error> {
        let stated = <Self as Deserialize>::deserialize(from)?;
        let stated = [
            (RequestedCheck::SignatureValid, stated.signature_valid),
            (
                RequestedCheck::EvidenceAccessible,
                stated.evidence_accessible,
            ),
            (RequestedCheck::VouchesPresent, stated.vouches_present),
        ];
        let stated = stated.into_iter();
        Ok(stated
            .filter_map(|(check, testimony)| Some((check, testimony?)))
            .collect())
    }
}

impl Parts for VerifyParts {
    type Hash = RequestHash;
    type Answers = ();

    const KIND: DocumentKind = DocumentKind::Verify;
    const KEY: &'static str = "/requester/public_key";
    const READ: Reader<Self> = plain;
    const DRAFT: Option<Reader<Self>> = Some(draft::verify);

    fn key(&self) -> Option<DidKey> {
        self.requester.public_key
    }

    fn coherent(&self) -> Result<(), DocumentError> {
        self.header.coherent()?;
        self.each_once()
    }

    fn digest(document: &Value, _: &str) -> Result<Sha256Hash, DocumentError> {
        request_digest(document)
    }

    fn dated(&self) -> Option<Timestamp> {
        Some(self.header.timestamp)
    }

    fn asks(&self) -> Option<(Audience, Option<Nonce>)> {
        Some((self.audience, self.header.nonce))
    }
}

impl VerifyParts {
    /// Checks that each check is requested once.
    pub(super) fn each_once(&self) -> Result<(), DocumentError> {
        let asked = self.checks_requested.iter();
        match asked.collect::<BTreeSet<_>>().len() == self.checks_requested.len() {
            true => Ok(()),
            false => Err(DocumentError::Incoherent(
                "checks_requested must name each check once",
            )),
        }
    }
}

impl VerifyRequest {
    /// Binding of the proof of an answer.
    fn answered(&self) -> Binding {
        let parts = self.parts();
        answered(&parts.header, &parts.requester)
    }
}

impl Parts for VerifyResultParts {
    type Hash = DocumentHash;
    type Answers = VerifyRequest;

    const KIND: DocumentKind = DocumentKind::VerifyResult;
    const KEY: &'static str = "/responder/public_key";
    const READ: Reader<Self> = plain;
    const DRAFT: Option<Reader<Self>> = Some(draft::verify_result);

    fn key(&self) -> Option<DidKey> {
        self.responder.public_key
    }

    fn dated(&self) -> Option<Timestamp> {
        Some(self.header.timestamp)
    }

    fn coherent(&self) -> Result<(), DocumentError> {
        match self.header.response_id {
            Some(_) => Ok(()),
            None => Err(DocumentError::Incoherent(
                "a response that is written needs a response_id; draw one",
            )),
        }
    }
}

impl VerifyResult {
    /// Writes the signed result of `request`.
    ///
    /// # Errors
    /// [`DocumentError`] for results of other checks than the requested ones.
    pub fn sign(
        mut parts: VerifyResultParts,
        request: &VerifyRequest,
        signer: &dyn Signer,
    ) -> Result<Self, DocumentError> {
        let question = request.parts();
        let answers = |check: &RequestedCheck| {
            parts.checks.contains_key(check) == question.checks_requested.contains(check)
        };
        if !RequestedCheck::ALL.iter().all(answers) {
            return Err(DocumentError::Incoherent(
                "checks must answer each check that was asked for, and no other",
            ));
        }
        parts.header.request_id = question.header.request_id.clone();
        parts.in_response_to = Some(request.hash());
        parts.audience = asker(&question.header, &question.requester);
        parts.attestation_id = question.attestation_id.clone();
        Self::bound(&parts, signer, &request.answered())
    }

    /// Checks the proof as a result of `request`. Costs a signature.
    pub fn signature_for(&self, request: &VerifyRequest) -> Signature {
        self.check(&request.answered(), &mut KnownKeys::default())
    }
}
