//! I1, I4: a unit is read from what was recorded, and is not changed. Twin: `allowed/i_1_a_unit_is_read.rs`.

use counterfoil_claims::Unit;

fn renumbered(unit: Unit) -> Unit {
    Unit { number: 0, ..unit }
}

fn main() {
    let _ = renumbered;
}
