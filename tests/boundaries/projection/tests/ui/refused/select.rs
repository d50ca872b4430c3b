//! M-10, CR-11, FP-03: a Projection selects memories.

use counterfoil_selector::MemorySelector;

fn main() {
    let _reached = <dyn MemorySelector>::select;
}
