//! The twin of `refused/d_52_an_accepted_capsule_has_none.rs`.
use counterfoil_store::collect::{CollectRules, Fate, HeldCapsule, Quarantined, fate};

fn judge(held: &Quarantined<HeldCapsule>, rules: CollectRules) -> Fate {
    fate(held, rules)
}

fn main() {
    let _ = judge;
}
