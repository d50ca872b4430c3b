//! I5: an oracle's verdict is no assertion. Twin: `allowed/i_5_an_oracle_is_consulted.rs`.

use counterfoil_claim_memory::{ClaimMemory, ClaimRef, OracleVerdict};
use counterfoil_store::ClaimRequest;

fn settled(memory: &ClaimMemory, claim: ClaimRef, verdict: OracleVerdict) -> ClaimRequest {
    let _ = (memory, claim);
    ClaimRequest::Assert(verdict)
}

fn main() {
    let _ = settled;
}
