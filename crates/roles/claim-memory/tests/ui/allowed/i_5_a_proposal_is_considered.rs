//! Twin of `refused/i_5_a_proposal_does_not_commit.rs`: it goes through a channel to the gate.

use counterfoil_claim_memory::{ClaimMemoryError, ClaimMemory, ClaimProposal};
use counterfoil_store::ClaimRequest;

fn considered(memory: &ClaimMemory, proposal: ClaimProposal) -> Result<ClaimRequest, ClaimMemoryError> {
    memory.consider(proposal).into_request()
}

fn main() {
    let _ = considered;
}
