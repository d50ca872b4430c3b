//! FP-13: a Host proves a memory.

use counterfoil_prover::MemoryVerifier;

fn main() {
    let _reached = <dyn MemoryVerifier>::prove;
}
