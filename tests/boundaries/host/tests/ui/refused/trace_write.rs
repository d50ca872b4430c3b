//! FP-13: a Host attaches a trace.

use counterfoil_actor::trace::attach_to_proposal;

fn main() {
    let _reached = attach_to_proposal;
}
