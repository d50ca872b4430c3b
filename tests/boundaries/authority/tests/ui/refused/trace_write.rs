//! Specification 9.2.3: an Authority attaches a trace.

use counterfoil_actor::trace::attach_to_proposal;

fn main() {
    let _reached = attach_to_proposal;
}
