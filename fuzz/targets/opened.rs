//! Receipts: opened capsules and what is in them.
#![no_main]

use counterfoil_types::calendar;
use counterfoil_types::json::{Limits, parse};
use counterfoil_verifier::opened::OpenedCapsule;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(value) = parse(bytes, Limits::EXPORTED) {
        if let Ok(opened) = OpenedCapsule::from_value(&value) {
            assert_eq!(
                OpenedCapsule::from_value(&opened.to_value()).as_ref(),
                Ok(&opened)
            );
        }
    }
    if let Ok(text) = core::str::from_utf8(bytes) {
        let _ = calendar::timestamp(text);
    }
});
