//! Evidence: a proof, with the time and the actor that only a selector adds (M-9, CR-17).

use counterfoil_types::json::{Map, Value};
use counterfoil_types::{
    ActorRef, ShapeError, UnixMillis, VerificationEvidence, VerificationProof,
};
use serde_json::json;

/// Wraps `proof` as verified at `verified_at` by `verified_by`, the actor of the request (§6.3, M-9).
///
/// Method and proof are picked by name and nothing else is carried over. The JSON is read back
/// through the parser of every authority, so attached evidence is accepted.
///
/// # Errors
/// [`ShapeError`] of that parser; none is known for values of these types.
pub fn wrap_proof(
    proof: &VerificationProof,
    verified_at: UnixMillis,
    verified_by: &ActorRef,
) -> Result<VerificationEvidence, ShapeError> {
    let mut members = Map::new();
    members.insert("method".into(), proof.method().as_str().into());
    if let Some(data) = proof.proof() {
        members.insert("proof".into(), data.clone());
    }
    members.insert("verifiedAt".into(), verified_at.value().into());
    members.insert("verifiedBy".into(), json!(verified_by));
    VerificationEvidence::try_from(Value::Object(members))
}

#[cfg(test)]
mod tests {
    use counterfoil_types::{ActorKind, VerificationMethod};

    use super::*;

    fn at() -> UnixMillis {
        UnixMillis::new(1_700_000_000_000).unwrap()
    }

    fn whole_actor() -> ActorRef {
        let mut meta = Map::new();
        meta.insert("team".into(), "north".into());
        ActorRef::new("ada", ActorKind::Human)
            .unwrap()
            .with_name("Ada")
            .with_meta(meta)
    }

    /// M-9, CR-17
    #[test]
    fn the_time_and_the_whole_actor_are_added_to_the_proof() {
        let data = Value::from(vec![1, 2]);
        let proof = VerificationProof::new(VerificationMethod::Merkle, Some(data)).unwrap();
        let evidence = wrap_proof(&proof, at(), &whole_actor()).unwrap();
        assert_eq!(evidence.verified_at(), at());
        assert_eq!(evidence.verified_by(), &whole_actor());
        assert_eq!(evidence.to_proof(), proof);
    }

    /// M-12: an absent proof stays absent, and null stays null.
    #[test]
    fn an_absent_proof_is_not_null() {
        for data in [None, Some(Value::Null)] {
            let proof = VerificationProof::new(VerificationMethod::Existence, data).unwrap();
            assert_eq!(
                wrap_proof(&proof, at(), &whole_actor()).unwrap().to_proof(),
                proof
            );
        }
    }
}
