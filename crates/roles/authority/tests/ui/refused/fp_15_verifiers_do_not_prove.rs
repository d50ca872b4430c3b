//! FP-15, §9.2.3: what an authority holds has no `prove`, whatever it is handed.

use counterfoil_authority::types::{MemoryRef, json::Value};
use counterfoil_authority::verifier::VerifierSet;

fn prove(verifiers: &VerifierSet, memory: &MemoryRef, world: &Value) {
    verifiers.prove(memory, world);
}

fn main() {
    let _ = prove;
}
