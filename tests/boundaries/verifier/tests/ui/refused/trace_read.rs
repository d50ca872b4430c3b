//! M-8, CR-16, FP-11: a Verifier reads a trace.

use counterfoil_trace::from_proposal;

fn main() {
    let _reached = from_proposal;
}
