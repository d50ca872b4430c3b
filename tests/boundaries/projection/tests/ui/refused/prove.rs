//! M-10, CR-11, FP-03: a Projection proves a memory.

use counterfoil_prover::MemoryVerifier;

fn main() {
    let _reached = <dyn MemoryVerifier>::prove;
}
