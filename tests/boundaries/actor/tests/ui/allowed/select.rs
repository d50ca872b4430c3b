//! An Actor selects memories: allowed.

use counterfoil_selector::MemorySelector;

fn main() {
    let _reached = <dyn MemorySelector>::select;
}
