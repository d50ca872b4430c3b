//! The same program with `std`, which an Actor has: IO compiles.

// With std.

// The program that uses a verifier links `std`; what a `no_std` method lacks is the name.
extern crate std as linked;

use counterfoil_types::VerificationProof;
use counterfoil_verifier::ProofVerifier;

struct Method;

impl ProofVerifier for Method {
    fn verify_proof(&self, _proof: &VerificationProof) -> bool {
        std::fs::exists("seen").is_ok()
    }
}

fn main() {}
