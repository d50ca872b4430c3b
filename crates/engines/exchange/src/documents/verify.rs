//! `memory_verify` and `verify_result`: what a responder says of its own memory (docs/format/exchange.md §6; R9).

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_capsule::Signer;
use serde::{Deserialize, Serialize};

use super::asked::{Asked, asked_hash};
use super::read::{examined, open, signed};
use super::wire::verify::{WireVerify, WireVerifyResult};
use super::{
    Audience, DocumentError, DocumentKind, Form, Party, RequestHash, RequestHeader, ResponseHeader,
    Signature, Text, draft,
};

const VERIFY: DocumentKind = DocumentKind::Verify;
const RESULT: DocumentKind = DocumentKind::VerifyResult;

/// Asks a responder what it says of a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifyRequest {
    parts: VerifyParts,
    form: Form,
    bytes: String,
    hash: RequestHash,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifyParts {
    /// Name, nonce and times.
    pub header: RequestHeader,
    /// Who asks.
    pub requester: Party,
    /// Who is asked.
    pub audience: Audience,
    /// Which memory.
    pub attestation_id: Text<1024>,
    /// What of it, each once.
    pub checks_requested: Vec<RequestedCheck>,
}

/// What a responder can say of its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RequestedCheck {
    /// `signature_valid`
    SignatureValid,
    /// `evidence_accessible`
    EvidenceAccessible,
    /// `vouches_present`
    VouchesPresent,
}

impl RequestedCheck {
    /// All of them.
    pub const ALL: [Self; 3] = [
        Self::SignatureValid,
        Self::EvidenceAccessible,
        Self::VouchesPresent,
    ];
}

/// What it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Testimony {
    /// It says yes.
    Pass,
    /// It says no.
    Fail,
    /// It says nothing.
    Skip,
}

/// What a responder says of its memory: testimony, never counted.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifyResult {
    parts: VerifyResultParts,
    form: Form,
    bytes: String,
}

/// What is said.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifyResultParts {
    /// Names and time.
    pub header: ResponseHeader,
    /// The hash of what was asked.
    pub in_response_to: Option<RequestHash>,
    /// Who asked.
    pub audience: Audience,
    /// Who answers.
    pub responder: Party,
    /// Of which memory.
    pub attestation_id: Text<1024>,
    /// What of it.
    pub checks: Vec<(RequestedCheck, Testimony)>,
}

impl VerifyParts {
    const fn asked(&self) -> Asked<'_> {
        Asked {
            header: &self.header,
            requester: &self.requester,
            audience: &self.audience,
        }
    }

    /// Each check is asked for once.
    pub(super) fn coherent(&self) -> Result<(), DocumentError> {
        let mut rest = self.checks_requested.as_slice();
        while let Some((check, others)) = rest.split_first() {
            if others.contains(check) {
                return Err(DocumentError::Incoherent(
                    "checks_requested must name each check once",
                ));
            }
            rest = others;
        }
        Ok(())
    }
}

impl VerifyRequest {
    /// Reads one.
    ///
    /// # Errors
    /// [`DocumentError`].
    pub fn parse(bytes: &[u8]) -> Result<Self, DocumentError> {
        let opened = open(bytes, VERIFY)?;
        let parts: VerifyParts = opened.parts(|wire: WireVerify| wire.try_into(), draft::verify)?;
        opened.is_by(&parts.requester, "/requester/public_key")?;
        let hash = asked_hash(&opened)?;
        Ok(Self {
            parts,
            form: opened.form,
            bytes: opened.bytes,
            hash,
        })
    }

    /// Writes one and signs it.
    ///
    /// # Errors
    /// What [`parse`](Self::parse) says of it: parts that contradict each other or what was asked.
    pub fn sign(mut parts: VerifyParts, signer: &dyn Signer) -> Result<Self, DocumentError> {
        parts.requester.public_key = Some(signer.key());
        let (at, binding) = (parts.header.timestamp, parts.asked().proved());
        Self::parse(signed(&WireVerify::try_from(parts)?, signer, binding, at)?.as_bytes())
    }

    /// What it says.
    #[must_use]
    pub const fn parts(&self) -> &VerifyParts {
        &self.parts
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_bytes()
    }

    /// What its result refers to.
    #[must_use]
    pub const fn hash(&self) -> RequestHash {
        self.hash
    }

    /// The form it came in.
    #[must_use]
    pub const fn form(&self) -> Form {
        self.form
    }

    /// Checks the proof. Costs a signature.
    #[must_use]
    pub fn signature(&self) -> Signature {
        self.parts.asked().signature(self.bytes(), self.form)
    }
}

impl VerifyResult {
    /// Reads one.
    ///
    /// # Errors
    /// [`DocumentError`].
    pub fn parse(bytes: &[u8]) -> Result<Self, DocumentError> {
        let opened = open(bytes, RESULT)?;
        let parts: VerifyResultParts = opened.parts(
            |wire: WireVerifyResult| Ok(wire.into()),
            draft::verify_result,
        )?;
        opened.is_by(&parts.responder, "/responder/public_key")?;
        Ok(Self {
            parts,
            form: opened.form,
            bytes: opened.bytes,
        })
    }

    /// Writes the signed result of `request`.
    ///
    /// # Errors
    /// What [`parse`](Self::parse) says of it: parts that contradict each other or what was asked.
    pub fn sign(
        mut parts: VerifyResultParts,
        request: &VerifyRequest,
        signer: &dyn Signer,
    ) -> Result<Self, DocumentError> {
        let asked = &request.parts.checks_requested;
        let same = asked.len() == parts.checks.len()
            && parts.checks.iter().all(|(check, _)| asked.contains(check));
        if !same {
            return Err(DocumentError::Incoherent(
                "checks must answer each check that was asked for, and no other",
            ));
        }
        parts.checks.sort_unstable_by_key(|(check, _)| *check);
        parts.responder.public_key = Some(signer.key());
        parts.header.request_id = request.parts.header.request_id.clone();
        parts.in_response_to = Some(request.hash);
        let asked = request.parts.asked();
        parts.audience = asked.asker(request.form);
        parts.attestation_id = request.parts.attestation_id.clone();
        let at = parts.header.timestamp;
        Self::parse(
            signed(
                &WireVerifyResult::try_from(parts)?,
                signer,
                asked.answered(request.form),
                at,
            )?
            .as_bytes(),
        )
    }

    /// What it says.
    #[must_use]
    pub const fn parts(&self) -> &VerifyResultParts {
        &self.parts
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_bytes()
    }

    /// Checks the proof as a result of `request`. Costs a signature.
    #[must_use]
    pub fn signature_for(&self, request: &VerifyRequest) -> Signature {
        examined(
            self.bytes(),
            self.form,
            self.parts.responder.public_key,
            &request.parts.asked().answered(request.form),
        )
    }

    /// The form it came in.
    #[must_use]
    pub const fn form(&self) -> Form {
        self.form
    }
}
