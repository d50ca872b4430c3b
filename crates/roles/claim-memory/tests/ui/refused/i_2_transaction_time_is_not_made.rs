//! I2: only the engine says when something was recorded. Twin: `allowed/i_2_transaction_time_is_read.rs`.

use counterfoil_claims::TransactionTime;

fn backdated() -> [TransactionTime; 2] {
    [TransactionTime(1), TransactionTime::recorded(1)]
}

fn main() {
    let _ = backdated;
}
