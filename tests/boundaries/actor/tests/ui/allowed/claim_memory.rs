//! An Actor remembers a claim: allowed.

use counterfoil_actor::claims::ClaimMemory;

fn main() {
    let _reached = ClaimMemory::agent;
}
