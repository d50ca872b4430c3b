//! I5: an extractor's proposal is no request. Twin: `allowed/i_5_a_proposal_is_considered.rs`.

use counterfoil_claim_memory::ClaimProposal;
use counterfoil_store::ClaimRequest;

fn committed(proposal: ClaimProposal) -> ClaimRequest {
    proposal.into()
}

fn main() {
    let _ = committed;
}
