//! Adversarial case D52: to wrap an accepted capsule is left to nobody.
use counterfoil_store::collect::Quarantined;
use counterfoil_store::StoredCapsule;

fn wrap(accepted: StoredCapsule) -> Quarantined<StoredCapsule> {
    Quarantined(accepted)
}

fn main() {
    let _ = wrap;
}
