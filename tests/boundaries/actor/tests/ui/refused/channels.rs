//! I4: an Actor makes a channel for itself: the crate of the engine is the host's.

use counterfoil_claims::Channels as Held;

fn main() {
    let _reached = size_of::<Held>();
}
