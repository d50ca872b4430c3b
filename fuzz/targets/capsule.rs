//! Capsules as they travel.
#![no_main]

use counterfoil_capsule::CapsuleDocument;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = CapsuleDocument::parse(bytes);
});
