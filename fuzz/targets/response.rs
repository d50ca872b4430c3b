//! `memory_response`: what is read is examined against a request, and passes nothing that is not signed.
#![no_main]

use counterfoil_exchange::documents::Response;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(response) = Response::parse(bytes) {
        for result in &response.parts().results {
            let _ = result.attestation.signature();
        }
        if !response.is_draft() {
            assert_eq!(Response::parse(response.bytes()).as_ref(), Ok(&response));
        }
    }
});
