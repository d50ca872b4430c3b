//! Twin of `refused/i_1_a_unit_is_not_made.rs`: a unit tells what it is.

use counterfoil_claims::Unit;

fn number(unit: &Unit) -> u64 {
    unit.number()
}

fn main() {
    let _ = number;
}
