//! `VerificationEvidence`: a proof, who verified it and when (§5.1.3, M-9, M-12).

use serde::Serialize;

use crate::actor::ActorRef;
use crate::json::{Limits, Value};
use crate::method::VerificationMethod;
use crate::proof::VerificationProof;
use crate::shape::ShapeError;
use crate::time::UnixMillis;
use crate::wire::{Fields, checked_json};

/// A proof with audit metadata, made by a selector (M-9, CR-17).
///
/// The wire is the only way in: a verifier has no constructor to call, a selector writes the
/// JSON and reads it back through the same door as every authority. The time and the actor are
/// claims of the selector; only the proof proves.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerificationEvidence {
    #[serde(flatten)]
    proof: VerificationProof,
    verified_at: UnixMillis,
    verified_by: ActorRef,
}

impl VerificationEvidence {
    /// The method that was used.
    pub const fn method(&self) -> &VerificationMethod {
        self.proof.method()
    }

    /// The method's proof data.
    pub const fn proof(&self) -> Option<&Value> {
        self.proof.proof()
    }

    /// Time of verification, by the selector's clock.
    pub const fn verified_at(&self) -> UnixMillis {
        self.verified_at
    }

    /// Actor that verified, as the evidence states it.
    pub const fn verified_by(&self) -> &ActorRef {
        &self.verified_by
    }

    /// The proof alone, as M-12 has it extracted before `verify_proof` (CR-21, FP-17).
    pub fn to_proof(&self) -> VerificationProof {
        self.proof.clone()
    }
}

impl TryFrom<Value> for VerificationEvidence {
    type Error = ShapeError;

    fn try_from(value: Value) -> Result<Self, ShapeError> {
        let mut fields = Fields::of(value);
        let method = fields.required("method", VerificationMethod::read);
        let data = fields.take("proof");
        let verified_at = fields.required("verifiedAt", UnixMillis::read);
        let verified_by = fields.required("verifiedBy", ActorRef::read);
        let proof = method
            .map(|method| VerificationProof::received(method, data))
            .and_then(|proof| fields.keep(proof));
        fields.finish(|| {
            Some(Self {
                proof: proof?,
                verified_at: verified_at?,
                verified_by: verified_by?,
            })
        })
    }
}

checked_json!(VerificationEvidence, Limits::DOCUMENT);

#[cfg(test)]
mod tests {
    use super::*;

    const WIRE: &str = r#"{"method":"hash","proof":null,"verifiedAt":1700000000000,"verifiedBy":{"actorId":"a","kind":"agent"}}"#;

    /// M-12, CR-21: what is extracted has the method and the data, and nothing else.
    #[test]
    fn the_extracted_proof_has_method_and_data_alone() {
        let evidence = VerificationEvidence::from_json(WIRE.as_bytes()).unwrap();
        let proof = serde_json::to_string(&evidence.to_proof()).unwrap();
        assert_eq!(proof, r#"{"method":"hash","proof":null}"#);
    }

    #[test]
    fn the_wire_round_trip_keeps_every_member() {
        let evidence = VerificationEvidence::from_json(WIRE.as_bytes()).unwrap();
        assert_eq!(serde_json::to_string(&evidence).unwrap(), WIRE);
    }
}
