//! Twin of `refused/i_5_an_oracle_does_not_commit.rs`: it goes through a channel to the gate.

use counterfoil_actor::ActError;
use counterfoil_actor::claims::{ClaimMemory, ClaimRef, OracleVerdict};
use counterfoil_store::ClaimRequest;

fn settled(
    memory: &ClaimMemory,
    claim: ClaimRef,
    verdict: OracleVerdict,
) -> Result<ClaimRequest, ActError> {
    memory.adjudicate(claim, verdict, []).into_request()
}

fn main() {
    let _ = settled;
}
