//! Memory traces.
#![no_main]

use counterfoil_trace::MemoryTrace;
use counterfoil_types::json::{Limits, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(value) = parse(bytes, Limits::DOCUMENT) {
        let _ = MemoryTrace::try_from(value);
    }
});
