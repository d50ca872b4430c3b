//! An Actor calls prove on a prover: allowed.

use counterfoil_prover::MemoryVerifier as Held;

fn main() {
    let _reached = <dyn Held>::prove;
}
