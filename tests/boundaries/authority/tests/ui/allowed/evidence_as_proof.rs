//! An Authority extracts the proof and verifies it: what M-12 asks for.

use counterfoil_types::VerificationEvidence;
use counterfoil_verifier::ProofVerifier;

fn check(verifier: &dyn ProofVerifier, evidence: &VerificationEvidence) -> bool {
    verifier.verify_proof(&evidence.to_proof())
}

fn main() {
    let _reached = check;
}
