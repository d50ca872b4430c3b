//! Signed notes and checkpoints.
#![no_main]

use counterfoil_verifier::{Checkpoint, SignedNote};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = SignedNote::parse(text);
    let _ = Checkpoint::parse(text);
});
