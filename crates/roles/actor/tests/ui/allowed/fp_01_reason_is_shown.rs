//! Twin of `refused/fp_01_reason_is_no_text.rs`: a reason can be shown.

use counterfoil_actor::RecalledMemory;

fn shown(memory: &RecalledMemory) -> String {
    format!("selected because it {}", memory.selected().reason())
}

fn main() {
    let _ = shown;
}
