//! An Authority reads a trace: allowed.

use counterfoil_trace::from_proposal;

fn main() {
    let _reached = from_proposal;
}
