//! Looks in a document for a proof by the right key, for the right purpose (vc-di-eddsa §3.3.2; capsules B17-B22).

use core::slice;

use counterfoil_types::DidKey;
use counterfoil_types::json::{Map, Value};
use ed25519_dalek::{Signature, VerifyingKey};

use super::proof::{Proof, hash};
use super::{Created, IntegrityError, Purpose, verification_method};

/// The most proofs that one document may carry.
pub const MAX_PROOFS: usize = 8;

/// Which proof is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Expect<'a> {
    /// Whose document it is. It says who is missed in errors; which keys count is `keys`.
    pub agent: DidKey,
    /// The keys that may sign for that agent here: one good proof by any of them is enough.
    pub keys: &'a [DidKey],
    /// What the proof must be for.
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

/// The proof that was asked for, found and checked.
///
/// It says that the holder of [`key`](Self::key) signed exactly this document for this purpose. It
/// does not say when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    key: DidKey,
    created: Option<Created>,
}

impl Verified {
    /// The key that signed.
    #[must_use]
    pub const fn key(&self) -> DidKey {
        self.key
    }

    /// When, by the signer's word. Not to be used for order.
    #[must_use]
    pub const fn created(&self) -> Option<&Created> {
        self.created.as_ref()
    }
}

/// Checks that `document` carries a good proof by one of the expected keys.
///
/// Proofs by other keys are ignored, good or bad: anyone can add one. Without a good one the
/// failure of the first bad one by an expected key is told, unless another is of an unknown suite.
///
/// # Errors
/// [`IntegrityError::Missing`] when no proof is there, [`IntegrityError::KeyNotAuthorised`] when all
/// are by others, and what is wrong with the one that is by an expected key.
/// [`IntegrityError::UnknownSuite`] alone leaves the document open.
pub fn verify(document: &Value, expect: &Expect<'_>) -> Result<Verified, IntegrityError> {
    let members = document.as_object().ok_or(IntegrityError::NotAnObject)?;
    let agent = expect.agent;
    let proof = members
        .get("proof")
        .ok_or(IntegrityError::Missing { agent })?;
    let proofs = proofs_of(proof)?;
    let unsecured = without_proof(members);
    let hashed = hash(&unsecured)?;
    let mut failure = None;
    for (proof, key) in proofs.iter().filter_map(|proof| named(proof, expect.keys)) {
        match check(proof, key, (&unsecured, &hashed), expect) {
            Ok(verified) => return Ok(verified),
            Err(open) if open.is_indeterminate() => failure = Some(open),
            Err(bad) => failure = failure.or(Some(bad)),
        }
    }
    Err(failure.unwrap_or(IntegrityError::KeyNotAuthorised {
        agent,
        proofs: proofs.len(),
    }))
}

/// The proof and the one of `keys` that it names, if it names one.
fn named<'a>(proof: &'a Value, keys: &[DidKey]) -> Option<(&'a Map, DidKey)> {
    let proof = proof.as_object()?;
    let method = proof.get("verificationMethod")?.as_str()?;
    let key = keys.iter().find(|key| verification_method(key) == method)?;
    Some((proof, *key))
}

fn check(
    proof: &Map,
    key: DidKey,
    (unsecured, hashed): (&Map, &[u8; 32]),
    expect: &Expect<'_>,
) -> Result<Verified, IntegrityError> {
    let proof = Proof::read(proof)?;
    if proof.purpose != expect.purpose.as_str() {
        return Err(IntegrityError::Purpose {
            expected: expect.purpose,
            found: proof.purpose.chars().take(64).collect(),
        });
    }
    for (member, found, expected) in [
        ("domain", proof.domain, expect.domain),
        ("challenge", proof.challenge, expect.challenge),
    ] {
        if found != expected {
            return Err(IntegrityError::Binding { member });
        }
    }
    let context = proof.context();
    if context.is_some() && context != unsecured.get("@context") {
        return Err(IntegrityError::Context);
    }
    let strong = VerifyingKey::from_bytes(key.public_key());
    let strong = strong.ok().filter(|key| !key.is_weak());
    let strong = strong.ok_or(IntegrityError::KeyWeak { key })?;
    let message = proof.signed_bytes(hashed)?;
    strong
        .verify_strict(&message, &Signature::from_bytes(&proof.signature))
        .map_err(|_| IntegrityError::Signature { key })?;
    let created = proof.created;
    Ok(Verified { key, created })
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

/// The document that is signed.
pub(super) fn without_proof(members: &Map) -> Map {
    let kept = members.iter().filter(|(name, _)| *name != "proof");
    kept.map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}
