//! M-8, CR-16, FP-09, FP-11, section 9.2, I5: a Verifier fetches, selects, proves, reads and writes traces, and claims.

use counterfoil_claim_memory::ClaimMemory;
use counterfoil_claims::gate::judge as reached;
use counterfoil_actor::trace::attach_to_proposal;
use counterfoil_prover::MemoryVerifier;
use counterfoil_selector::MemorySelector;
use counterfoil_store::{ClaimStore, MemoryStore};
use counterfoil_trace::from_proposal;

fn main() {
    let _reached = (
        ClaimMemory::agent,
        attach_to_proposal,
        reached,
        <dyn MemoryVerifier>::prove,
        <dyn MemorySelector>::select,
        <dyn ClaimStore>::submit,
        <dyn MemoryStore>::get,
        from_proposal,
    );
}
