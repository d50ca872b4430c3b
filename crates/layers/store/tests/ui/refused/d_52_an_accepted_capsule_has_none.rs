//! Adversarial case D52: an accepted capsule is no garbage, whatever its state.
use counterfoil_store::collect::{CollectRules, Fate, fate};
use counterfoil_store::StoredCapsule;

fn judge(accepted: &StoredCapsule, rules: CollectRules) -> Fate {
    fate(accepted, rules)
}

fn main() {
    let _ = judge;
}
