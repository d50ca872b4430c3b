//! What is signed is read as it was; everything else is refused by the member that is wrong.

mod arbitrary;
mod binding;
mod changed;
mod drafts;
mod hops;
mod laws;
mod ranges;
mod refused;
mod samples;
mod spoilt;

use counterfoil_verifier::note::{Algorithm, VerifierKey};

/// The key of a log.
fn log_key(name: &str) -> VerifierKey {
    let key = *counterfoil_capsule::Signer::key(&arbitrary::signer(9)).public_key();
    VerifierKey::new(name, Algorithm::Ed25519, &key).unwrap()
}
