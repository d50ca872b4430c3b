//! I4: who holds a channel has that one. Twin: `allowed/i_4_a_channel_speaks_for_itself.rs`.

use counterfoil_claims::{Channel, Provenance};

fn another(channel: &Channel) -> Channel {
    channel.user()
}

fn made(provenance: Provenance) -> Channel {
    Channel(provenance, Vec::new())
}

fn main() {
    let _ = (another, made);
}
