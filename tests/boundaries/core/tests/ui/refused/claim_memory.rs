//! FP-14: a Core remembers a claim.

use counterfoil_actor::claims::ClaimMemory;

fn main() {
    let _reached = ClaimMemory::agent;
}
