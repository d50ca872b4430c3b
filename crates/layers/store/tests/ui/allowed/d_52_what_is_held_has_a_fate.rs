//! The twin of `refused/d_52_an_accepted_capsule_has_none.rs`.
use counterfoil_store::collect::{Fate, HeldCapsule, fate};

fn judge(held: &HeldCapsule, now_us: u64) -> Fate {
    fate(held, 0, now_us)
}

fn main() {
    let _ = judge;
}
