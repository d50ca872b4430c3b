//! FP-13: a Host makes a reference to a memory.

use counterfoil_types::MemoryRef;

fn main() {
    let _reached = MemoryRef::new;
}
