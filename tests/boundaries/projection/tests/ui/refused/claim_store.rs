//! M-10, FP-03: a Projection submits to the store of claims.

use counterfoil_store::ClaimStore;

fn main() {
    let _reached = <dyn ClaimStore>::submit;
}
