//! M-8, CR-19, CR-20, FP-10, FP-11: the result of prove carries when and by whom.

use counterfoil_prover::ProveResult;
use counterfoil_types::VerificationEvidence;

fn result(evidence: VerificationEvidence) -> ProveResult {
    ProveResult::Valid(evidence)
}

fn main() {
    let _reached = result;
}
