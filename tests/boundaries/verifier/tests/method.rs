//! A method of one's own answers like those that come with the crate.
#![cfg(test)]

use boundary_verifier::Known;
use counterfoil_types::{VerificationMethod, VerificationProof, WorldId};
use counterfoil_verifier::{Examiner, Expected, Session, Strength};

/// MR-04, M-8: built from the role's crates alone, in a `no_std` library.
#[test]
fn a_method_of_ones_own_answers_for_its_method_alone() {
    let method = VerificationMethod::new("known").unwrap();
    let proof = |method: VerificationMethod| VerificationProof::new(method, None).unwrap();
    let (own, other) = (proof(method.clone()), proof(VerificationMethod::Hash));
    let world = WorldId::new("world-1").unwrap();
    let verifier = Known::new(method);
    let examine = |proof: &VerificationProof| {
        verifier.examine(proof, Expected::World(&world), &mut Session::new())
    };

    let findings = examine(&own).unwrap();
    assert_eq!(findings.world(), None);
    assert_eq!(findings.strength(), Strength::Existence);
    assert!(examine(&other).is_err());
    assert!(verifier.verifies(&own) && !verifier.verifies(&other));
}
