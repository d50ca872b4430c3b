//! Adds a proof to a document: deterministic, over the whole of it (vc-di-eddsa §3.3.1).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::document;
use counterfoil_types::json::Value;

use super::proof::{Proof, SUITE, SignatureText, TYPE, digest_without, signed_bytes};
use super::verify::{MAX_PROOFS, PROOF, proofs_of};
use super::{Created, Purpose, verification_method};
use crate::key::Signer;
use crate::key_error::KeyError;

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

/// Gives back the document with one more proof, by the key that `signer` signs with.
///
/// Proofs that it carries already are kept and not checked; `proof` becomes an array with the
/// second one. `created` is the time of signing by the signer's clock. Given the same arguments and an Ed25519 signer, the result is the same.
///
/// # Errors
/// [`KeyError::NotAnObject`], [`KeyError::Json`] for a document without canonical form,
/// [`KeyError::Proofs`] when it has a `proof` that is none, or too many.
pub fn sign(
    document: Value,
    signer: &dyn Signer,
    created: impl Into<Created>,
    binding: &Binding,
) -> Result<Value, KeyError> {
    let Value::Object(mut members) = document else {
        return Err(KeyError::NotAnObject);
    };
    let mut proofs: Vec<Value> = match members.get("proof") {
        None => Vec::new(),
        Some(proof) => proofs_of(proof)?.to_vec(),
    };
    if proofs.len() >= MAX_PROOFS {
        return Err(KeyError::Proofs { limit: MAX_PROOFS });
    }
    let digest = digest_without(&members, PROOF)?;
    proofs.push(proof_over(
        members.get("@context"),
        &digest,
        signer,
        created.into(),
        binding,
    )?);
    let all = match proofs.len() {
        1 => proofs.remove(0),
        _ => Value::Array(proofs),
    };
    members.insert("proof".to_string(), all);
    Ok(Value::Object(members))
}

/// Makes the proof that [`sign`] adds to a document without `@context`, given the SHA-256 of its canonical form without
/// proofs: for a caller that writes that form out of parts.
///
/// # Errors
/// [`KeyError::Json`].
pub fn sign_digest(
    document: &[u8; 32],
    signer: &dyn Signer,
    created: impl Into<Created>,
    binding: &Binding,
) -> Result<Value, KeyError> {
    proof_over(None, document, signer, created.into(), binding)
}

fn proof_over(
    context: Option<&Value>,
    digest: &[u8; 32],
    signer: &dyn Signer,
    created: Created,
    binding: &Binding,
) -> Result<Value, KeyError> {
    let proof = Proof {
        context: context.cloned(),
        challenge: binding.challenge.clone(),
        created: Some(created),
        cryptosuite: SUITE.into(),
        domain: binding.domain.clone(),
        proof_purpose: binding.purpose.name().into(),
        proof_value: None,
        kind: TYPE.into(),
        verification_method: verification_method(&signer.key()),
    };
    let Value::Object(mut proof) = document::write(&proof) else {
        return Err(KeyError::NotAnObject);
    };
    let signature = SignatureText(signer.sign(&signed_bytes(&proof, digest)?));
    proof.insert("proofValue".into(), signature.to_string().into());
    Ok(Value::Object(proof))
}
