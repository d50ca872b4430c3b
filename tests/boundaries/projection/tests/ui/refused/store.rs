//! M-10, CR-11, FP-03: a Projection fetches a World.

use counterfoil_store::MemoryStore;

fn main() {
    let _reached = <dyn MemoryStore>::get;
}
