//! FP-09, section 9.2: a Verifier submits to the store of claims.

use counterfoil_store::ClaimStore;

fn main() {
    let _reached = <dyn ClaimStore>::submit;
}
