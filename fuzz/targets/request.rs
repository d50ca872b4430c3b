//! `memory_request`: what is read is written again as it was.
#![no_main]

use counterfoil_exchange::documents::Request;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(request) = Request::parse(bytes) {
        let _ = request.signature();
        if !request.is_draft() {
            let again = Request::parse(request.bytes());
            assert_eq!(again.as_ref(), Ok(&request));
        }
    }
});
