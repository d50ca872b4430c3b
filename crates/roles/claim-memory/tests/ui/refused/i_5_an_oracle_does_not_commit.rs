//! I5: an oracle's verdict is no assertion. Twin: `allowed/i_5_an_oracle_is_consulted.rs`.

use counterfoil_claim_memory::OracleVerdict;
use counterfoil_store::ClaimRequest;

fn settled(verdict: OracleVerdict) -> ClaimRequest {
    verdict.into()
}

fn main() {
    let _ = settled;
}
