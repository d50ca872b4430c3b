//! FP-13: a Host fetches a World.

use counterfoil_store::MemoryStore;

fn main() {
    let _reached = <dyn MemoryStore>::get;
}
