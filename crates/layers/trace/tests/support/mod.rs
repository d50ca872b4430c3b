//! Wire documents for the tests of this crate.

use counterfoil_trace::types::json::Value;
use serde_json::json;

/// A selected memory without evidence.
pub(crate) fn memory(world: &str, confidence: f64) -> Value {
    json!({"ref": {"worldId": world}, "reason": "r", "confidence": number(confidence),
           "verified": false})
}

/// A trace of `planner` at `world-0`.
pub(crate) fn trace_wire(query: &str, selected_at: u64, selected: &[Value]) -> Value {
    json!({
        "selector": {"actorId": "planner", "kind": "agent"}, "query": query,
        "selectedAt": selected_at, "atWorldId": "world-0", "selected": selected,
    })
}

/// A number as JavaScript writes it: 0 and 1 without a point.
fn number(value: f64) -> Value {
    if value == 0.0 {
        json!(0)
    } else if value == 1.0 {
        json!(1)
    } else {
        json!(value)
    }
}
