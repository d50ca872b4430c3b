//! Twin of `refused/i_4_provenance_is_not_made.rs`: it follows from the channel.

use counterfoil_claims::{Channel, Provenance, ProvenanceClass};

fn assigned(channel: &Channel) -> (Provenance, ProvenanceClass) {
    (channel.provenance(), channel.provenance().class())
}

fn main() {
    let _ = assigned;
}
