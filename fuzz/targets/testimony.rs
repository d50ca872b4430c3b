//! `memory_verify`, `verify_result` and `capability`.
#![no_main]

use counterfoil_exchange::documents::{Capability, VerifyRequest, VerifyResult};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(asked) = VerifyRequest::parse(bytes) {
        assert_eq!(VerifyRequest::parse(asked.bytes()).as_ref(), Ok(&asked));
    }
    let _ = VerifyResult::parse(bytes);
    let _ = Capability::parse(bytes);
});
