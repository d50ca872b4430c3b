//! M-10, CR-11, FP-03: a Projection reads a trace.

use counterfoil_trace::from_proposal;

fn main() {
    let _reached = from_proposal;
}
