//! FP-01, M-1: a reason can be shown and not worked with; the World has the content.

use counterfoil_actor::RecalledMemory;

fn fact(memory: &RecalledMemory) -> &str {
    memory.selected().reason()
}

fn main() {
    let _ = fact;
}
