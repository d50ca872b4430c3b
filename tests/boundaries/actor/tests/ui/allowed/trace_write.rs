//! An Actor attaches a trace: allowed.

use counterfoil_actor::trace::attach_to_proposal;

fn main() {
    let _reached = attach_to_proposal;
}
