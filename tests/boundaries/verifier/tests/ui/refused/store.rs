//! M-8, CR-16, FP-09: a Verifier fetches a World.

use counterfoil_store::MemoryStore;

fn main() {
    let _reached = <dyn MemoryStore>::get;
}
