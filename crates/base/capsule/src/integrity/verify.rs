//! Looks in a document for a proof by the right key, for the right purpose (vc-di-eddsa §3.3.2; capsules B17-B22).

use alloc::string::String;
use alloc::vec::Vec;
use core::slice;

use counterfoil_types::DidKey;
use counterfoil_types::document::{self, Fault};
use counterfoil_types::json::{self, Map, Value};
use ed25519_dalek::{Signature, VerifyingKey};

use super::proof::{Proof, SUITE, TYPE, digest_outside, digest_without, signed_bytes};
use super::{IntegrityError, Purpose, verification_method};

/// The member that holds the proofs.
pub(super) const PROOF: &str = "proof";
const MAX_KNOWN_KEYS: usize = 64;
/// The most proofs that one document may carry.
pub const MAX_PROOFS: usize = 8;

/// Requirements on a proof.
#[derive(Debug, Clone, Copy)]
pub struct Expect<'a> {
    /// Agent of the document, for errors; the keys that count are `keys`.
    pub agent: DidKey,
    /// The keys that may sign for that agent here: one good proof by any of them is enough.
    pub keys: &'a [DidKey],
    /// Purpose of the proof.
    pub purpose: Purpose,
    /// The audience that the proof must name; `None`: it must name none.
    pub domain: Option<&'a str>,
    /// The nonce that the proof must name; `None`: it must name none.
    pub challenge: Option<&'a str>,
}

impl<'a> Expect<'a> {
    /// An assertion of `agent` by one of `keys`, for everyone.
    #[must_use]
    pub const fn assertion(agent: DidKey, keys: &'a [DidKey]) -> Self {
        Self {
            agent,
            keys,
            purpose: Purpose::Assertion,
            domain: None,
            challenge: None,
        }
    }
}

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

/// Checks that `document` carries a good proof by one of the expected keys.
///
/// Returns the key. Its holder signed exactly this document for this purpose; nothing is said of when.
///
/// Proofs by other keys are ignored, good or bad: anyone can add one. Without a good one the
/// failure of the first bad one by an expected key is returned, unless another is of an unknown suite.
///
/// # Errors
/// [`IntegrityError::Missing`] when no proof is there, [`IntegrityError::KeyNotAuthorised`] when all
/// are by others, and the fault of the one that is by an expected key.
/// [`IntegrityError::UnknownSuite`] alone leaves the document open.
pub fn verify(document: &Value, expect: &Expect<'_>) -> Result<DidKey, IntegrityError> {
    let members = document.as_object().ok_or(IntegrityError::NotAnObject)?;
    let agent = expect.agent;
    let proof = members
        .get(PROOF)
        .ok_or(IntegrityError::Missing { agent })?;
    proofs_of(proof)?;
    let document = digest_without(members, PROOF)?;
    let context = members.get("@context");
    verify_digest(proof, context, &document, expect, &mut KnownKeys::default())
}

/// Returns the canonical form of a document, and the digest that its proofs are over, for [`verify_digest`].
///
/// # Errors
/// [`IntegrityError::Json`] when the document has no canonical form.
pub fn canonical_with_digest(members: &Map) -> Result<(String, [u8; 32]), IntegrityError> {
    let (canonical, place) = json::canonical_around(members, PROOF)?;
    let digest = digest_outside(&canonical, place);
    Ok((canonical, digest))
}

/// As [`verify`], of a document of which `proof` and `@context` are known, and the digest of all but `proof`.
///
/// # Errors
/// As [`verify`].
pub fn verify_digest(
    proof: &Value,
    context: Option<&Value>,
    document: &[u8; 32],
    expect: &Expect<'_>,
    known: &mut KnownKeys,
) -> Result<DidKey, IntegrityError> {
    let (proofs, agent) = (proofs_of(proof)?, expect.agent);
    let mut failure = None;
    for proof in proofs {
        let method = proof.get("verificationMethod").and_then(Value::as_str);
        let named = expect.keys.iter().find(|key| {
            let known = known.entry_of(**key);
            known.is_some_and(|known| Some(known.method.as_str()) == method)
        });
        let Some(key) = named.and_then(|key| known.entry_of(*key)) else {
            continue;
        };
        match check(proof, key, (context, document), expect) {
            Ok(()) => return Ok(key.key),
            Err(open) if open.is_indeterminate() => failure = Some(open),
            Err(bad) => failure = failure.or(Some(bad)),
        }
    }
    Err(failure.unwrap_or(IntegrityError::KeyNotAuthorised {
        agent,
        proofs: proofs.len(),
    }))
}

fn check(
    proof: &Value,
    known: &KnownKey,
    (context, document): (Option<&Value>, &[u8; 32]),
    expect: &Expect<'_>,
) -> Result<(), IntegrityError> {
    // Other suites may have other members.
    let text = |name| proof.get(name).and_then(Value::as_str);
    if text("type").is_some_and(|kind| kind != TYPE) {
        return Err(IntegrityError::Type);
    }
    if let Some(suite) = text("cryptosuite").filter(|suite| *suite != SUITE) {
        return Err(IntegrityError::UnknownSuite {
            found: suite.chars().take(64).collect(),
        });
    }
    let members = proof.as_object().ok_or(IntegrityError::NotAnObject)?;
    let proof: Proof = document::read(proof)?;
    if proof.proof_purpose != expect.purpose.name() {
        return Err(IntegrityError::Purpose {
            expected: expect.purpose,
            found: proof.proof_purpose.chars().take(64).collect(),
        });
    }
    for (member, found, expected) in [
        ("domain", proof.domain.as_deref(), expect.domain),
        ("challenge", proof.challenge.as_deref(), expect.challenge),
    ] {
        if found != expected {
            return Err(IntegrityError::Binding { member });
        }
    }
    if proof.context.is_some() && proof.context.as_ref() != context {
        return Err(IntegrityError::Context);
    }
    let key = known.key;
    let strong = known.strong.as_ref();
    let strong = strong.ok_or(IntegrityError::KeyWeak { key })?;
    let signature = proof
        .proof_value
        .ok_or(Fault::new("/proofValue", "there"))?;
    let message = signed_bytes(members, document)?;
    strong
        .verify_strict(&message, &Signature::from_bytes(&signature.0))
        .map_err(|_| IntegrityError::Signature { key })
}

/// `proof` as a list: an object alone, or an array of 1 to [`MAX_PROOFS`] objects.
pub(super) fn proofs_of(proof: &Value) -> Result<&[Value], IntegrityError> {
    let proofs = match proof {
        Value::Array(proofs) => proofs,
        one => slice::from_ref(one),
    };
    let all_objects = proofs.iter().all(Value::is_object);
    if !all_objects || !(1..=MAX_PROOFS).contains(&proofs.len()) {
        return Err(IntegrityError::Proofs { limit: MAX_PROOFS });
    }
    Ok(proofs)
}
