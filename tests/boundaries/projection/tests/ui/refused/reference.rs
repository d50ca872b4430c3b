//! M-10, CR-11, FP-03: a Projection makes a reference to a memory.

use counterfoil_types::MemoryRef;

fn main() {
    let _reached = MemoryRef::new;
}
