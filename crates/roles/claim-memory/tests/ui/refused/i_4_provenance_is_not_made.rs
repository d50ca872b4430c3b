//! I4: nobody names a provenance for himself. Twin: `allowed/i_4_provenance_is_read.rs`.

use counterfoil_claims::{Provenance, ProvenanceClass};

fn promoted() -> [Provenance; 2] {
    let user = ProvenanceClass::UserAsserted;
    [Provenance(user), Provenance::assigned(user)]
}

fn main() {
    let _ = promoted;
}
