//! I4: an Actor holds the channel that it was given: allowed.

use counterfoil_claim_memory::Channel as Held;

fn main() {
    let _reached = size_of::<Held>();
}
