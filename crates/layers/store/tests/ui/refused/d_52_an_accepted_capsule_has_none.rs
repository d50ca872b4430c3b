//! Adversarial case D52: an accepted capsule is no garbage, whatever its state.
use counterfoil_store::collect::{Fate, fate};
use counterfoil_store::StoredCapsule;

fn judge(accepted: &StoredCapsule, now_us: u64) -> Fate {
    fate(accepted, 0, now_us)
}

fn main() {
    let _ = judge;
}
