//! An Actor fetches a World: allowed.

use counterfoil_store::MemoryStore;

fn main() {
    let _reached = <dyn MemoryStore>::get;
}
