//! FP-16: an Authority fetches a World.

use counterfoil_store::MemoryStore;

fn main() {
    let _reached = <dyn MemoryStore>::get;
}
