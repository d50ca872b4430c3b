//! Proofs of documents: purpose, audience and challenge that each is bound to (docs/format/exchange.md §1; R1, R2, R3).

use alloc::string::{String, ToString};

use counterfoil_capsule::integrity::{self, Binding, Created, KnownKeys, Purpose};
use counterfoil_types::document::Text;
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, words};
use serde::{Deserialize, Serialize};

use super::{Audience, DocumentError, Nonce};

/// The result of checking the proof of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signature {
    /// It holds, by this key, for the purpose and the binding that the document itself names.
    Holds(DidKey),
    /// It does not hold, or names another key than the document.
    Broken,
    /// The document has no proof.
    Absent,
    /// The document is a draft, whose proof covers any part of it and is not checked.
    NotLookedAt,
}

/// A proof of `eddsa-jcs-2022` (vc-di-eddsa §3.3), read here for its shape alone.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Proof {
    r#type: ProofType,
    cryptosuite: Suite,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<Created>,
    verification_method: Text<128>,
    proof_purpose: ProofPurpose,
    proof_value: Text<96>,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<Text<128>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    challenge: Option<Text<64>>,
}

words! {
    /// Type of a proof.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    enum ProofType { DataIntegrityProof = "DataIntegrityProof" }

    /// Cryptosuite of a proof.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    enum Suite { EddsaJcs2022 = "eddsa-jcs-2022" }

    /// Purpose of a proof.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    enum ProofPurpose {
        Authentication = "authentication",
        AssertionMethod = "assertionMethod",
    }
}

/// Binds a proof to one audience, under one nonce (R1).
pub(super) fn bound(purpose: Purpose, audience: &Audience, nonce: Option<&Nonce>) -> Binding {
    Binding {
        purpose,
        domain: Some(audience.to_string()),
        challenge: nonce.map(ToString::to_string),
    }
}

/// A proof, and the digest that it signs: the canonical form is written and hashed once.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seal {
    proof: Value,
    document: [u8; 32],
}

impl Seal {
    /// The canonical form of a document with a proof, and the proof.
    pub(super) fn of(document: &Value) -> Result<Option<(String, Self)>, DocumentError> {
        let Some((members, proof)) = document.as_object().zip(document.get("proof")) else {
            return Ok(None);
        };
        let (canonical, document) = integrity::canonical_with_digest(members)?;
        let proof = proof.clone();
        Ok(Some((canonical, Self { proof, document })))
    }

    /// Checks the proof against the key that the document names. No document here has an `@context`.
    pub(super) fn check(
        &self,
        key: Option<DidKey>,
        binding: &Binding,
        known: &mut KnownKeys,
    ) -> Signature {
        let Some(key) = key else {
            return Signature::Broken;
        };
        match integrity::verify_digest(&self.proof, &self.document, key, binding, known) {
            Ok(key) => Signature::Holds(key),
            Err(_) => Signature::Broken,
        }
    }
}
