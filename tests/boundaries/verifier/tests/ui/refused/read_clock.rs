//! M-8, CR-16, FP-08, FP-10: a Verifier reads the clock.

#![no_std]

// The program that uses a verifier links `std`; what a `no_std` method lacks is the name.
extern crate std as linked;

use counterfoil_types::VerificationProof;
use counterfoil_verifier::ProofVerifier;

struct Method;

impl ProofVerifier for Method {
    fn verify_proof(&self, _proof: &VerificationProof) -> bool {
        std::time::UNIX_EPOCH.elapsed().is_ok()
    }
}

fn main() {}
