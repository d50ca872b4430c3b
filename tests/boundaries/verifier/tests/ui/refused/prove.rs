//! M-8, CR-16: a Verifier proves a memory.

use counterfoil_prover::MemoryVerifier;

fn main() {
    let _reached = <dyn MemoryVerifier>::prove;
}
