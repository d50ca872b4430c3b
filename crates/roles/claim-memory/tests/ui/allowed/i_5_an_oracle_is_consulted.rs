//! Twin of `refused/i_5_an_oracle_does_not_commit.rs`: it goes through a channel to the gate.

use counterfoil_claim_memory::{ClaimMemoryError, ClaimMemory, ClaimOutcome, ClaimRef, OracleVerdict};

async fn settled(
    memory: &ClaimMemory,
    claim: ClaimRef,
    verdict: OracleVerdict,
) -> Result<ClaimOutcome, ClaimMemoryError> {
    memory.adjudicate(claim, verdict, []).await
}

fn main() {
    let _ = settled;
}
