//! Twin of `refused/i_4_a_channel_makes_no_other.rs`: a channel is shared, and the host makes another.

use counterfoil_claims::{Channel, Channels};

fn another(channel: &Channel) -> Channel {
    channel.clone()
}

fn made(host: &Channels) -> Channel {
    host.user()
}

fn main() {
    let _ = (another, made);
}
