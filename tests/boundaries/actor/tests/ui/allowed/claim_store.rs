//! An Actor submits to the store of claims: allowed, with a channel that it was given.

use counterfoil_store::ClaimStore;

fn main() {
    let _reached = <dyn ClaimStore>::submit;
}
