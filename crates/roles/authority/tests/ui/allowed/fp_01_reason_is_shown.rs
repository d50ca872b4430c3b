//! Twin of `refused/fp_01_reason_is_no_text.rs`: a claimed reason can be shown.

use counterfoil_authority::MemoryReport;

fn shown(memory: &MemoryReport) -> String {
    format!("the selector says: {}", memory.reason)
}

fn main() {
    let _ = shown;
}
