//! FP-14: the Core proves a memory.

use counterfoil_prover::MemoryVerifier;

fn main() {
    let _reached = <dyn MemoryVerifier>::prove;
}
