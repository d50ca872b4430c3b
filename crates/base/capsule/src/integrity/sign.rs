//! Adds a proof to a document: deterministic, over the whole of it (vc-di-eddsa §3.3.1).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::document;
use counterfoil_types::json::Value;

use super::proof::{Proof, SUITE, SignatureText, TYPE, digest_without, signed_bytes};
use super::verify::{MAX_PROOFS, PROOF, proofs_of};
use super::{Created, IntegrityError, Purpose, verification_method};
use crate::key::Signer;

/// Members of a proof beside its signature. The key that it names is the signer's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofOptions {
    /// Purpose of the proof.
    pub purpose: Purpose,
    /// Time of signing, by the signer's clock.
    pub created: Created,
    /// Audience, when it is for one alone.
    pub domain: Option<String>,
    /// The nonce of the question that it answers.
    pub challenge: Option<String>,
}

impl ProofOptions {
    /// A proof that asserts the document, for everyone.
    #[must_use]
    pub fn assertion(created: impl Into<Created>) -> Self {
        Self {
            purpose: Purpose::Assertion,
            created: created.into(),
            domain: None,
            challenge: None,
        }
    }
}

/// Gives back the document with one more proof, by the key that `signer` signs with.
///
/// Proofs that it carries already are kept and not checked; `proof` becomes an array with the
/// second one. Given the same arguments and an Ed25519 signer, the result is the same.
///
/// # Errors
/// [`IntegrityError::NotAnObject`], [`IntegrityError::Json`] for a document without canonical form,
/// [`IntegrityError::Proofs`] when it has a `proof` that is none, or too many.
pub fn sign(
    document: Value,
    signer: &dyn Signer,
    options: &ProofOptions,
) -> Result<Value, IntegrityError> {
    let Value::Object(mut members) = document else {
        return Err(IntegrityError::NotAnObject);
    };
    let mut proofs: Vec<Value> = match members.get("proof") {
        None => Vec::new(),
        Some(proof) => proofs_of(proof)?.to_vec(),
    };
    if proofs.len() >= MAX_PROOFS {
        return Err(IntegrityError::Proofs { limit: MAX_PROOFS });
    }
    let digest = digest_without(&members, PROOF)?;
    proofs.push(proof_over(
        members.get("@context"),
        &digest,
        signer,
        options,
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
/// [`IntegrityError::Json`].
pub fn sign_digest(
    document: &[u8; 32],
    signer: &dyn Signer,
    options: &ProofOptions,
) -> Result<Value, IntegrityError> {
    proof_over(None, document, signer, options)
}

fn proof_over(
    context: Option<&Value>,
    digest: &[u8; 32],
    signer: &dyn Signer,
    options: &ProofOptions,
) -> Result<Value, IntegrityError> {
    let proof = Proof {
        context: context.cloned(),
        challenge: options.challenge.clone(),
        created: Some(options.created.clone()),
        cryptosuite: SUITE.into(),
        domain: options.domain.clone(),
        proof_purpose: options.purpose.name().into(),
        proof_value: None,
        kind: TYPE.into(),
        verification_method: verification_method(&signer.key()),
    };
    let Value::Object(mut proof) = document::write(&proof) else {
        return Err(IntegrityError::NotAnObject);
    };
    let signature = SignatureText(signer.sign(&signed_bytes(&proof, digest)?));
    proof.insert("proofValue".into(), signature.to_string().into());
    Ok(Value::Object(proof))
}
