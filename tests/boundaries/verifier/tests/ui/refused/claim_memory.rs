//! FP-09, section 9.2: a Verifier remembers a claim.

use counterfoil_actor::claims::ClaimMemory;

fn main() {
    let _reached = ClaimMemory::agent;
}
