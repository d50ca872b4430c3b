//! M-10, FP-03: a Projection remembers a claim.

use counterfoil_actor::claims::ClaimMemory;

fn main() {
    let _reached = ClaimMemory::agent;
}
