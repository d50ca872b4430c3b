//! An Authority makes a reference to a memory: allowed.

use counterfoil_types::MemoryRef;

fn main() {
    let _reached = MemoryRef::new;
}
