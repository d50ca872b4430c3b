//! FP-13: a Host selects memories.

use counterfoil_selector::MemorySelector;

fn main() {
    let _reached = <dyn MemorySelector>::select;
}
