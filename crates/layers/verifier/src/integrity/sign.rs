//! Adds a proof to a document: deterministic, over the whole of it (vc-di-eddsa §3.3.1).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, document};

use super::proof::{Proof, SUITE, SignatureText, TYPE, digest_without, signed_bytes};
use super::verify::{MAX_PROOFS, PROOF, proofs_of};
use super::{Created, ProofError, Purpose, verification_method};

/// Use that a proof is bound to: it proves nothing for another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// Purpose of the proof.
    pub purpose: Purpose,
    /// Audience; `None`: everyone.
    pub domain: Option<String>,
    /// Nonce of the question that it answers; `None`: it answers none.
    pub challenge: Option<String>,
}

impl Binding {
    /// Asserts the document, for everyone.
    pub const ASSERTION: Self = Self {
        purpose: Purpose::Assertion,
        domain: None,
        challenge: None,
    };
}

/// Gives back the document with one more proof, by `key`; `signature` signs bytes with it.
///
/// Proofs that it carries already are kept and not checked; `proof` becomes an array with the
/// second one. `created` is the time of signing by the signer's clock. Given the same arguments and Ed25519, the result
/// is the same.
///
/// # Errors
/// [`ProofError::NotAnObject`], [`ProofError::Json`] for a document without canonical form,
/// [`ProofError::Proofs`] when it has a `proof` that is none, or too many.
pub fn sign(
    document: Value,
    key: DidKey,
    signature: impl FnOnce(&[u8]) -> [u8; 64],
    created: Created,
    binding: &Binding,
) -> Result<Value, ProofError> {
    let Value::Object(mut members) = document else {
        return Err(ProofError::NotAnObject);
    };
    let mut proofs: Vec<Value> = match members.get(PROOF) {
        None => Vec::new(),
        Some(proof) => proofs_of(proof)?.to_vec(),
    };
    if proofs.len() >= MAX_PROOFS {
        return Err(ProofError::Proofs { limit: MAX_PROOFS });
    }
    let digest = digest_without(&members, PROOF)?;
    let context = members.get("@context").cloned();
    let proof = unsigned(context, key, created, binding);
    proofs.push(signed(proof, &digest, signature)?);
    let all = match proofs.len() {
        1 => proofs.remove(0),
        _ => Value::Array(proofs),
    };
    members.insert(PROOF.to_string(), all);
    Ok(Value::Object(members))
}

/// Makes the proof that [`sign`] adds to a document without `@context`, given the SHA-256 of its canonical form without
/// proofs: for a caller that writes that form out of parts.
///
/// # Errors
/// [`ProofError::Json`].
pub fn sign_digest(
    document: &[u8; 32],
    key: DidKey,
    signature: impl FnOnce(&[u8]) -> [u8; 64],
    created: Created,
    binding: &Binding,
) -> Result<Value, ProofError> {
    signed(unsigned(None, key, created, binding), document, signature)
}

fn unsigned(context: Option<Value>, key: DidKey, created: Created, binding: &Binding) -> Proof {
    Proof {
        context,
        challenge: binding.challenge.clone(),
        created: Some(created),
        cryptosuite: SUITE.into(),
        domain: binding.domain.clone(),
        proof_purpose: binding.purpose.name().into(),
        proof_value: None,
        kind: TYPE.into(),
        verification_method: verification_method(&key),
    }
}

fn signed(
    proof: Proof,
    digest: &[u8; 32],
    signature: impl FnOnce(&[u8]) -> [u8; 64],
) -> Result<Value, ProofError> {
    let Value::Object(mut proof) = document::write(&proof) else {
        return Err(ProofError::NotAnObject);
    };
    let signature = SignatureText(signature(&signed_bytes(&proof, digest)?));
    proof.insert("proofValue".into(), signature.to_string().into());
    Ok(Value::Object(proof))
}
