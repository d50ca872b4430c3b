//! Twin of `refused/fp_01_reason_is_no_text.rs`: a claimed reason can be shown.

use counterfoil_authority::SelectorClaim;

fn shown(claim: &SelectorClaim) -> String {
    format!("the selector says: {}", claim.reason)
}

fn main() {
    let _ = shown;
}
