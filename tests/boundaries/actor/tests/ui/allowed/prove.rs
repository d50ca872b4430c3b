//! An Actor proves a memory: allowed.

use counterfoil_prover::MemoryVerifier;

fn main() {
    let _reached = <dyn MemoryVerifier>::prove;
}
