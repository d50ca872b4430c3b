//! M-8, CR-16, FP-11: a Verifier attaches a trace.

use counterfoil_actor::trace::attach_to_proposal;

fn main() {
    let _reached = attach_to_proposal;
}
