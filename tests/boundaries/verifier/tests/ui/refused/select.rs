//! M-8, CR-16: a Verifier selects memories.

use counterfoil_selector::MemorySelector;

fn main() {
    let _reached = <dyn MemorySelector>::select;
}
