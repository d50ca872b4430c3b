//! FP-01, M-1: a claimed reason can be shown and not worked with.

use counterfoil_authority::SelectorClaim;

fn fact(claim: &SelectorClaim) -> &str {
    &claim.reason
}

fn main() {
    let _ = fact;
}
