//! `VerificationProof`: what proves, with no time and no actor in it (§5.1.2, M-8, CR-19, CR-20).

use serde::Serialize;

use crate::json::{Limits, Value};
use crate::limits::MAX_PROOF_BYTES;
use crate::method::VerificationMethod;
use crate::shape::ShapeError;
use crate::wire::{Fields, checked_json};

/// Members that would carry a time or an actor into a proof (FP-10, FP-11).
const FORBIDDEN: [&str; 5] = ["verifiedAt", "verifiedBy", "timestamp", "actor", "actorId"];

/// A method and its proof data: deterministic, from its inputs alone.
///
/// An absent proof and `null` are two different proofs, and both survive the wire. What the data
/// must look like is for the method's verifier to say.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VerificationProof {
    method: VerificationMethod,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<Value>,
}

impl VerificationProof {
    /// Puts proof data under its method.
    ///
    /// # Errors
    /// A member named `verifiedAt`, `verifiedBy`, `timestamp`, `actor` or `actorId` is
    /// anywhere in the data (M-8).
    pub fn new(method: VerificationMethod, proof: Option<Value>) -> Result<Self, ShapeError> {
        match proof.as_ref().and_then(forbidden_member) {
            Some(name) => Err(carries(name)),
            None => Ok(Self { method, proof }),
        }
    }

    /// As [`new`](Self::new), for data that came over the wire: at most [`MAX_PROOF_BYTES`].
    pub(crate) fn received(
        method: VerificationMethod,
        proof: Option<Value>,
    ) -> Result<Self, ShapeError> {
        let found = proof.as_ref().map_or(0, weight);
        if found > MAX_PROOF_BYTES {
            return Err(ShapeError::at_most(
                "proof",
                MAX_PROOF_BYTES,
                "bytes",
                found,
            ));
        }
        Self::new(method, proof)
    }

    /// The method.
    pub const fn method(&self) -> &VerificationMethod {
        &self.method
    }

    /// The method's proof data; `Some(Value::Null)` is not `None`.
    pub const fn proof(&self) -> Option<&Value> {
        self.proof.as_ref()
    }
}

/// Free of a member that may not stand there (M-8, CR-19, CR-20).
fn carries(name: &str) -> ShapeError {
    let must = alloc::format!("not contain {name}: a proof holds no time and no actor");
    ShapeError::one("proof", &must)
}

/// The bytes of all texts, and eight for each value: a bound on what a proof takes to carry.
fn weight(value: &Value) -> usize {
    let inner = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(elements) => elements.iter().map(weight).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| name.len().saturating_add(weight(value)))
            .sum(),
    };
    inner.saturating_add(8)
}

fn forbidden_member(value: &Value) -> Option<&'static str> {
    match value {
        Value::Array(elements) => elements.iter().find_map(forbidden_member),
        Value::Object(members) => members.iter().find_map(|(name, value)| {
            let own = FORBIDDEN.into_iter().find(|forbidden| forbidden == name);
            own.or_else(|| forbidden_member(value))
        }),
        _ => None,
    }
}

impl TryFrom<Value> for VerificationProof {
    type Error = ShapeError;

    fn try_from(value: Value) -> Result<Self, ShapeError> {
        let mut fields = Fields::of(value);
        let method = fields.required("method", VerificationMethod::read);
        let proof = fields.take("proof");
        let beside = Value::Object(fields.rest());
        let method = fields.finish(|| method)?;
        // Evidence is no proof: a verifier extracts the proof first (M-12).
        if let Some(name) = forbidden_member(&beside) {
            return Err(carries(name));
        }
        Self::received(method, proof)
    }
}

checked_json!(VerificationProof, Limits::DISCLOSED);

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    /// CR-19, CR-20, FP-10, FP-11, M-8.
    #[test]
    fn a_proof_can_hold_no_time_and_no_actor() {
        for proof in [
            r#"{"verifiedAt":1}"#,
            r#"{"a":[{"verifiedBy":{"actorId":"a","kind":"agent"}}]}"#,
            r#"{"timestamp":1}"#,
            r#"[{"actorId":"a"}]"#,
        ] {
            let wire = alloc::format!(r#"{{"method":"hash","proof":{proof}}}"#);
            let error = VerificationProof::from_json(wire.as_bytes()).unwrap_err();
            assert!(
                error.to_string().starts_with("proof must not contain"),
                "{proof}"
            );
        }
    }

    /// A proposal of megabytes in one proof was copied many times over before it was refused.
    #[test]
    fn a_proof_has_a_size_whatever_it_is_part_of() {
        let proof = |length| {
            let data = Value::Array(alloc::vec![Value::Null; length]);
            VerificationProof::try_from(serde_json::json!({"method": "hash", "proof": data}))
        };
        assert!(proof(65_000).is_ok());
        let error = proof(70_000).unwrap_err().to_string();
        assert_eq!(error, "proof must be at most 524288 bytes, not 560008");
    }

    /// M-12, FP-17: evidence has members that a proof can't have, so it does not pass for one.
    #[test]
    fn evidence_is_not_read_as_a_proof() {
        let evidence = br#"{"method":"hash","proof":{},"verifiedAt":1,"verifiedBy":{"actorId":"a","kind":"agent"}}"#;
        let error = VerificationProof::from_json(evidence).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("proof must not contain verified")
        );
    }

    #[test]
    fn null_proof_and_absent_proof_both_survive_the_wire() {
        for wire in [r#"{"method":"hash","proof":null}"#, r#"{"method":"hash"}"#] {
            let proof = VerificationProof::from_json(wire.as_bytes()).unwrap();
            assert_eq!(serde_json::to_string(&proof).unwrap(), wire);
        }
    }
}
