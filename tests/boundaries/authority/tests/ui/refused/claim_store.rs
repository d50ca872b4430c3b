//! FP-16, section 9.2.3: an Authority submits to the store of claims.

use counterfoil_store::ClaimStore;

fn main() {
    let _reached = <dyn ClaimStore>::submit;
}
