//! Signed notes and checkpoints.
#![no_main]

use counterfoil_verifier::Checkpoint;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = Checkpoint::from_note(text);
    let _ = Checkpoint::parse(text);
});
