//! M-10, CR-11, FP-03, I5: a Projection fetches, selects, proves, verifies, refers, reads and writes traces, and claims.

use counterfoil_claim_memory::ClaimMemory;
use counterfoil_claims::gate::judge as reached;
use counterfoil_actor::trace::attach_to_proposal;
use counterfoil_prover::MemoryVerifier;
use counterfoil_selector::MemorySelector;
use counterfoil_store::{ClaimStore, MemoryStore};
use counterfoil_trace::from_proposal;
use counterfoil_types::MemoryRef;
use counterfoil_verifier::ProofVerifier;

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
        MemoryRef::new,
        <dyn ProofVerifier>::verify_proof,
    );
}
