//! M-12, CR-21, FP-17: an Authority verifies evidence without extracting the proof.

use counterfoil_types::VerificationEvidence;
use counterfoil_verifier::ProofVerifier;

fn check(verifier: &dyn ProofVerifier, evidence: &VerificationEvidence) -> bool {
    verifier.verify_proof(evidence)
}

fn main() {
    let _reached = check;
}
