//! The result of prove carries the proof alone.

use counterfoil_prover::ProveResult;
use counterfoil_types::VerificationEvidence;

fn result(evidence: VerificationEvidence) -> ProveResult {
    ProveResult::Valid(evidence.to_proof())
}

fn main() {
    let _reached = result;
}
