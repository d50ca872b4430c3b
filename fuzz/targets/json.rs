//! Strict JSON, and its canonical form.
#![no_main]

use counterfoil_types::json::{Limits, admit, canonical, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(value) = parse(bytes, Limits::DOCUMENT) {
        if let Ok(text) = canonical(&value) {
            assert_eq!(
                admit(text.as_bytes(), Limits::DOCUMENT).as_ref(),
                Ok(&value)
            );
        }
    }
});
