//! M-10, CR-11, FP-03: a Projection attaches a trace.

use counterfoil_actor::trace::attach_to_proposal;

fn main() {
    let _reached = attach_to_proposal;
}
