//! Looks in a document for a proof by the right key, for the right purpose (vc-di-eddsa §3.3.2; capsules B17-B22).

use alloc::string::String;
use alloc::vec::Vec;
use core::slice;

use counterfoil_types::DidKey;
use counterfoil_types::document::{self, Fault};
use counterfoil_types::json::{self, Map, Value};
use ed25519_dalek::{Signature, VerifyingKey};

use super::proof::{Proof, SUITE, TYPE, digest_outside, digest_without, signed_bytes};
use super::{Binding, ProofError, verification_method};

/// The member that holds the proofs.
pub(super) const PROOF: &str = "proof";
const MAX_KNOWN_KEYS: usize = 64;
/// The most proofs that one document may carry.
pub const MAX_PROOFS: usize = 8;

/// Keys that were read before, up to 64: several documents of one agent read its key once. It saves work and never changes
/// a verdict.
#[derive(Debug, Default)]
pub struct KnownKeys {
    keys: Vec<KnownKey>,
}

#[derive(Debug)]
struct KnownKey {
    key: DidKey,
    method: String,
    /// `None` for a weak key, or bytes that are no key.
    strong: Option<VerifyingKey>,
}

impl KnownKeys {
    fn entry_of(&mut self, key: DidKey) -> Option<&KnownKey> {
        if let Some(at) = self.keys.iter().position(|known| known.key == key) {
            return self.keys.get(at);
        }
        if self.keys.len() >= MAX_KNOWN_KEYS {
            self.keys.clear();
        }
        let strong = VerifyingKey::from_bytes(key.public_key()).ok();
        self.keys.push(KnownKey {
            key,
            method: verification_method(&key),
            strong: strong.filter(|key| !key.is_weak()),
        });
        self.keys.last()
    }
}

/// Checks that `document` carries a good proof by one of `keys`, bound to exactly this use.
///
/// Returns the key. `agent` is the agent of the document, for errors; the keys that count are `keys`, of which one good proof
/// is enough. Its holder signed exactly this document for this purpose; nothing is said of when.
///
/// Proofs by other keys are ignored, good or bad: anyone can add one. Without a good one the
/// failure of the first bad one by an expected key is returned, unless another is of an unknown suite.
///
/// # Errors
/// [`ProofError::ProofMissing`] when no proof is there, [`ProofError::OtherKeys`] when all
/// are by others, and the fault of the one that is by an expected key.
/// [`ProofError::UnknownSuite`] alone leaves the document open.
pub fn verify(
    document: &Value,
    agent: DidKey,
    keys: &[DidKey],
    binding: &Binding,
) -> Result<DidKey, ProofError> {
    let members = document.as_object().ok_or(ProofError::NotAnObject)?;
    let proof = members
        .get(PROOF)
        .ok_or(ProofError::ProofMissing { agent })?;
    proofs_of(proof)?;
    let document = digest_without(members, PROOF)?;
    let context = members.get("@context");
    let known = &mut KnownKeys::default();
    let proven = any_of(proof, (context, &document), keys, binding, known)?;
    proven.ok_or(ProofError::OtherKeys {
        agent,
        proofs: proofs_of(proof)?.len(),
    })
}

/// Returns the canonical form of a document, and the digest that its proofs are over, for [`verify_digest`].
///
/// # Errors
/// [`ProofError::Json`] when the document has no canonical form.
pub fn canonical_with_digest(members: &Map) -> Result<(String, [u8; 32]), ProofError> {
    let (canonical, place) = json::canonical_around(members, PROOF)?;
    let digest = digest_outside(&canonical, place);
    Ok((canonical, digest))
}

/// As [`verify`] by one key, of a document without `@context` of which `proof` is known, and the digest of all else.
///
/// # Errors
/// As [`verify`].
pub fn verify_digest(
    proof: &Value,
    document: &[u8; 32],
    agent: DidKey,
    binding: &Binding,
    known: &mut KnownKeys,
) -> Result<DidKey, ProofError> {
    let proven = any_of(proof, (None, document), &[agent], binding, known)?;
    let proofs = proofs_of(proof)?.len();
    proven.ok_or(ProofError::OtherKeys { agent, proofs })
}

/// The first of `keys` that a proof is by; `None` when all proofs are by others.
fn any_of(
    proof: &Value,
    document: (Option<&Value>, &[u8; 32]),
    keys: &[DidKey],
    binding: &Binding,
    known: &mut KnownKeys,
) -> Result<Option<DidKey>, ProofError> {
    let mut failure = None;
    for proof in proofs_of(proof)? {
        let method = proof.get("verificationMethod").and_then(Value::as_str);
        let named = keys.iter().find(|key| {
            let known = known.entry_of(**key);
            known.is_some_and(|known| Some(known.method.as_str()) == method)
        });
        let Some(key) = named.and_then(|key| known.entry_of(*key)) else {
            continue;
        };
        match check(proof, key, document, binding) {
            Ok(()) => return Ok(Some(key.key)),
            Err(open) if open.is_indeterminate() => failure = Some(open),
            Err(bad) => failure = failure.or(Some(bad)),
        }
    }
    failure.map_or(Ok(None), Err)
}

fn check(
    proof: &Value,
    known: &KnownKey,
    (context, document): (Option<&Value>, &[u8; 32]),
    binding: &Binding,
) -> Result<(), ProofError> {
    // Other suites may have other members.
    let text = |name| proof.get(name).and_then(Value::as_str);
    if text("type").is_some_and(|kind| kind != TYPE) {
        return Err(ProofError::ProofType);
    }
    if let Some(suite) = text("cryptosuite").filter(|suite| *suite != SUITE) {
        return Err(ProofError::UnknownSuite {
            found: suite.chars().take(64).collect(),
        });
    }
    let members = proof.as_object().ok_or(ProofError::NotAnObject)?;
    let proof: Proof = document::read(proof)?;
    if proof.proof_purpose != binding.purpose.name() {
        return Err(ProofError::Purpose {
            expected: binding.purpose.name(),
            found: proof.proof_purpose.chars().take(64).collect(),
        });
    }
    for (member, found, expected) in [
        ("domain", &proof.domain, &binding.domain),
        ("challenge", &proof.challenge, &binding.challenge),
    ] {
        if found != expected {
            return Err(ProofError::Binding { member });
        }
    }
    if proof.context.is_some() && proof.context.as_ref() != context {
        return Err(ProofError::Context);
    }
    let key = known.key;
    let strong = known.strong.as_ref();
    let strong = strong.ok_or(ProofError::KeyWeak { key })?;
    let signature = proof
        .proof_value
        .ok_or(Fault::new("/proofValue", "there"))?;
    let message = signed_bytes(members, document)?;
    strong
        .verify_strict(&message, &Signature::from_bytes(&signature.0))
        .map_err(|_| ProofError::Signature { key })
}

/// `proof` as a list: an object alone, or an array of 1 to [`MAX_PROOFS`] objects.
pub(super) fn proofs_of(proof: &Value) -> Result<&[Value], ProofError> {
    let proofs = match proof {
        Value::Array(proofs) => proofs,
        one => slice::from_ref(one),
    };
    let all_objects = proofs.iter().all(Value::is_object);
    if !all_objects || !(1..=MAX_PROOFS).contains(&proofs.len()) {
        return Err(ProofError::Proofs { limit: MAX_PROOFS });
    }
    Ok(proofs)
}
