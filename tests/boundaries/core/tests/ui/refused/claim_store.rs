//! FP-14: a Core submits to the store of claims.

use counterfoil_store::ClaimStore;

fn main() {
    let _reached = <dyn ClaimStore>::submit;
}
