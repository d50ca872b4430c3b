//! `attestation` by itself, and its hops.
#![no_main]

use counterfoil_exchange::documents::Attestation;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(attestation) = Attestation::parse(bytes) {
        let _ = attestation.signature();
        if let Some(chain) = attestation.parts().chain() {
            let _ = chain.verify(&attestation.claim_hash(), None);
        }
    }
});
