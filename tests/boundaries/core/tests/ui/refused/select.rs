//! FP-14: the Core selects memories.

use counterfoil_selector::MemorySelector;

fn main() {
    let _reached = <dyn MemorySelector>::select;
}
