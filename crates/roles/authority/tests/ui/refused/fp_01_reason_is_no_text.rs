//! FP-01, M-1: a claimed reason can be shown and not worked with.

use counterfoil_authority::MemoryReport;

fn fact(memory: &MemoryReport) -> &str {
    &memory.reason
}

fn main() {
    let _ = fact;
}
