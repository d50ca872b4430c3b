//! The bytes of a request as a server admits them.
#![no_main]

use counterfoil_exchange::answering::{admit, admit_verify};
use counterfoil_types::DidKey;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let own = [DidKey::from_public_key([7; 32])];
    let now_us = 1_800_000_000_000_000;
    let _ = admit(bytes, &own, now_us);
    let _ = admit_verify(bytes, &own, now_us);
});
