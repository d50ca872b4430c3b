//! Strict JSON, and its canonical form.
#![no_main]

use counterfoil_types::json::{Limits, admit, canonical, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(value) = parse(bytes, Limits::DOCUMENT) {
        if let Ok(text) = canonical(&value) {
            // Not the value: `-0` is read, and written as `0`.
            let again =
                admit(text.as_bytes(), Limits::DOCUMENT).and_then(|value| canonical(&value));
            assert_eq!(again, Ok(text));
        }
    }
});
