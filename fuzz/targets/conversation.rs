//! Messages in plain text.
#![no_main]

use counterfoil_exchange::conversation::Vocabulary;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|message: &str| {
    let proposals = Vocabulary::default().interpret(message);
    assert!(proposals.len() <= 8);
});
