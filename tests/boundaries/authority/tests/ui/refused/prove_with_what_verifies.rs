//! FP-15: an Authority calls prove on the verifier that it holds.

use counterfoil_verifier::ProofVerifier as Held;

fn main() {
    let _reached = <dyn Held>::prove;
}
