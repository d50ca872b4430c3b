//! Twin of `refused/i_5_approved_is_not_made.rs`: what the gate decided can be read.

use counterfoil_claims::{Approved, Disposition};

fn committed(approved: &Approved) -> Disposition {
    approved.disposition()
}

fn main() {
    let _ = committed;
}
