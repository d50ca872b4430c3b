//! Messages in plain text.
#![no_main]

use counterfoil_exchange::conversation::interpret;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|message: &str| {
    let proposals = interpret(message, &[]);
    assert!(proposals.len() <= 8);
});
