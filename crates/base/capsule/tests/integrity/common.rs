//! A document, its signer, a stranger.

use counterfoil_capsule::integrity::{Binding, ProofError, sign, verify};
use counterfoil_capsule::{AgentSigner, SecretKey, Signer, Timestamp};
use counterfoil_types::DidKey;
use counterfoil_types::json::Value;
use serde_json::json;

pub(crate) fn alice() -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([7; 32]))
}

pub(crate) fn mallory() -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([8; 32]))
}

pub(crate) fn at() -> Timestamp {
    Timestamp::from_micros(1_770_681_600_123_456).unwrap()
}

pub(crate) fn document() -> Value {
    json!({"type": "attestation", "agent": alice().agent(), "claim": {"n": 1.5, "é": [null, true]}})
}

pub(crate) fn signed_by(signer: &dyn Signer, document: Value) -> Value {
    sign(document, signer, at(), &Binding::ASSERTION).unwrap()
}

/// As Alice's assertion.
pub(crate) fn check(document: &Value) -> Result<DidKey, ProofError> {
    let alice = alice().agent();
    verify(document, alice, &[alice], &Binding::ASSERTION)
}

pub(crate) fn code(document: &Value) -> &'static str {
    check(document).unwrap_err().code()
}

/// Alice's document with one member of its proof put in another's place.
pub(crate) fn with(member: &str, value: impl Into<Value>) -> Value {
    let mut document = signed_by(&alice(), document());
    document["proof"][member] = value.into();
    document
}
