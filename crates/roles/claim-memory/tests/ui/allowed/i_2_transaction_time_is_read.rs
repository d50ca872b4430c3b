//! Twin of `refused/i_2_transaction_time_is_not_made.rs`: it stands in the unit.

use counterfoil_claims::{TransactionTime, Unit};

fn recorded(unit: &Unit) -> TransactionTime {
    unit.stamp()
}

fn main() {
    let _ = recorded;
}
