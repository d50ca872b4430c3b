//! Twin of `refused/fp_17_evidence_for_a_proof.rs`: the proof is taken out first (M-12).

use counterfoil_authority::types::VerificationEvidence;
use counterfoil_authority::verifier::{ProofVerifier, VerifierSet};

fn check(verifiers: &VerifierSet, evidence: &VerificationEvidence) -> bool {
    verifiers.verify_proof(&evidence.to_proof())
}

fn main() {
    let _ = check;
}
