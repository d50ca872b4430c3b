//! FP-13: a Host reads a trace.

use counterfoil_trace::from_proposal;

fn main() {
    let _reached = from_proposal;
}
