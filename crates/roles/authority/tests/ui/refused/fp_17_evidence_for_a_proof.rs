//! FP-17, M-12, CR-21: evidence is no proof. Twin: `authority/tests/ui/allowed/fp_17_proof_taken_out.rs`.

use counterfoil_authority::types::VerificationEvidence;
use counterfoil_authority::verifier::{ProofVerifier, VerifierSet};

fn check(verifiers: &VerifierSet, evidence: &VerificationEvidence) -> bool {
    verifiers.verify_proof(evidence)
}

fn main() {
    let _ = check;
}
