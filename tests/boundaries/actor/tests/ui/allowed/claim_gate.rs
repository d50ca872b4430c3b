//! An Actor proves a belief; the gate stands behind the store.

use counterfoil_claim_memory::prove_belief as reached;

fn main() {
    let _reached = reached;
}
