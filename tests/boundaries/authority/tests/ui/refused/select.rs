//! M-4, CR-12, FP-04: an Authority selects memories.

use counterfoil_selector::MemorySelector;

fn main() {
    let _reached = <dyn MemorySelector>::select;
}
