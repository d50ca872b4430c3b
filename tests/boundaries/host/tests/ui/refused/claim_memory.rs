//! FP-13: a Host remembers a claim.

use counterfoil_actor::claims::ClaimMemory;

fn main() {
    let _reached = ClaimMemory::agent;
}
