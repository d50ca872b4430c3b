//! I5: what the gate let in is made by the gate alone. Twin: `allowed/i_5_approved_is_read.rs`.

use counterfoil_claims::{Approved, Disposition};

fn committed(approved: Approved) -> Approved {
    Approved {
        disposition: Disposition::Committed,
        ..approved
    }
}

fn main() {
    let _ = committed;
}
