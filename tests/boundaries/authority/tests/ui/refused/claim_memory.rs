//! FP-16, section 9.2.3: an Authority remembers a claim.

use counterfoil_actor::claims::ClaimMemory;

fn main() {
    let _reached = ClaimMemory::agent;
}
