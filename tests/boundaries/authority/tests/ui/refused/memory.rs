//! M-4, CR-12, FP-04, FP-15, FP-16, section 9.2.3, I5: an Authority fetches, selects, proves, writes a trace, and claims.

use counterfoil_claim_memory::ClaimMemory;
use counterfoil_claims::gate::judge as reached;
use counterfoil_actor::trace::attach_to_proposal;
use counterfoil_prover::MemoryVerifier;
use counterfoil_selector::MemorySelector;
use counterfoil_store::{ClaimStore, MemoryStore};

fn main() {
    let _reached = (
        ClaimMemory::agent,
        attach_to_proposal,
        reached,
        <dyn MemoryVerifier>::prove,
        <dyn MemorySelector>::select,
        <dyn ClaimStore>::submit,
        <dyn MemoryStore>::get,
    );
}
