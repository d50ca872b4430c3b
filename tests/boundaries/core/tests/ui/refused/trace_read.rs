//! FP-14: the Core reads a trace.

use counterfoil_trace::from_proposal;

fn main() {
    let _reached = from_proposal;
}
