//! `memory_verify` and `verify_result`: testimony of a responder about its own memory (docs/format/exchange.md §6; R9).

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use counterfoil_capsule::integrity::{Binding, KnownKeys};
use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_types::document::Text;
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, Sha256Hash, words};
use serde::{Deserialize, Serialize};

use super::document::{ExchangeDocument, OpenParts, Parts, Reader, plain};
use super::member::{Items, Required};
use super::request::{answered, asker, request_digest};
use super::{
    Audience, DocumentError, DocumentForm, DocumentHash, DocumentKind, Nonce, Party, RequestHash,
    RequestHeader, ResponseHeader, Signature, draft,
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
    pub checks: Testimonies,
}

/// Results of checks as a responder states them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Checks"))]
#[serde(deny_unknown_fields)]
pub struct Testimonies {
    /// Does the signature of the memory hold?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature_valid: Option<Testimony>,
    /// Is the evidence accessible?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_accessible: Option<Testimony>,
    /// Are there vouches for the attesting agent?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vouches_present: Option<Testimony>,
}

impl Testimonies {
    /// The result of one check, to be read or set.
    pub const fn of_mut(&mut self, check: RequestedCheck) -> &mut Option<Testimony> {
        match check {
            RequestedCheck::SignatureValid => &mut self.signature_valid,
            RequestedCheck::EvidenceAccessible => &mut self.evidence_accessible,
            RequestedCheck::VouchesPresent => &mut self.vouches_present,
        }
    }
}

impl FromIterator<(RequestedCheck, Testimony)> for Testimonies {
    fn from_iter<I: IntoIterator<Item = (RequestedCheck, Testimony)>>(stated: I) -> Self {
        let mut checks = Self::default();
        for (check, testimony) in stated {
            *checks.of_mut(check) = Some(testimony);
        }
        checks
    }
}

impl Parts for VerifyParts {
    type Hash = RequestHash;

    const KIND: DocumentKind = DocumentKind::Verify;
    const KEY: &'static str = "/requester/public_key";
    const READ: Reader<Self> = plain;
    const DRAFT: Option<Reader<Self>> = Some(draft::verify);

    fn key(&self) -> Option<DidKey> {
        self.requester.public_key
    }

    fn coherent(&self, form: DocumentForm) -> Result<(), DocumentError> {
        if form == DocumentForm::One {
            self.header.coherent()?;
        }
        let asked = self.checks_requested.iter();
        match asked.collect::<BTreeSet<_>>().len() == self.checks_requested.len() {
            true => Ok(()),
            false => Err(DocumentError::Incoherent(
                "checks_requested must name each check once",
            )),
        }
    }

    fn digest(document: &Value, _: &str) -> Result<Sha256Hash, DocumentError> {
        request_digest(document)
    }
}

impl OpenParts for VerifyParts {
    fn name_signer(&mut self, key: DidKey) -> Result<Timestamp, DocumentError> {
        self.requester.public_key = Some(key);
        Ok(self.header.timestamp)
    }

    fn asks(&self) -> Option<(Audience, Option<Nonce>)> {
        Some((self.audience, self.header.nonce))
    }
}

impl VerifyRequest {
    /// Binding of the proof of an answer.
    fn answered(&self) -> Binding {
        let parts = self.parts();
        answered(&parts.header, &parts.requester, self.form())
    }
}

impl Parts for VerifyResultParts {
    type Hash = DocumentHash;

    const KIND: DocumentKind = DocumentKind::VerifyResult;
    const KEY: &'static str = "/responder/public_key";
    const READ: Reader<Self> = plain;
    const DRAFT: Option<Reader<Self>> = Some(draft::verify_result);

    fn key(&self) -> Option<DidKey> {
        self.responder.public_key
    }

    fn coherent(&self, _: DocumentForm) -> Result<(), DocumentError> {
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
        let mut stated = parts.checks.clone();
        let answers = |check: RequestedCheck| {
            stated.of_mut(check).is_some() == question.checks_requested.contains(&check)
        };
        if !RequestedCheck::ALL.into_iter().all(answers) {
            return Err(DocumentError::Incoherent(
                "checks must answer each check that was asked for, and no other",
            ));
        }
        parts.responder.public_key = Some(signer.key());
        parts.header.request_id = question.header.request_id.clone();
        parts.in_response_to = Some(request.hash());
        parts.audience = asker(&question.requester, request.form());
        parts.attestation_id = question.attestation_id.clone();
        let at = parts.header.timestamp;
        Self::bound(&parts, signer, &request.answered(), at)
    }

    /// Checks the proof as a result of `request`. Costs a signature.
    pub fn signature_for(&self, request: &VerifyRequest) -> Signature {
        self.check(&request.answered(), &mut KnownKeys::default())
    }
}
