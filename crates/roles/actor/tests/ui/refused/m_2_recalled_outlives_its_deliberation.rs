//! M-2, FP-02: memories are out of reach once their deliberation has ended.

use counterfoil_actor::types::{IntentInstance, Query, UnixMillis};
use counterfoil_actor::{ActError, Deliberation};

async fn plan(
    deliberation: Deliberation<'_>,
    query: Query,
    intent: IntentInstance,
    now: UnixMillis,
) -> Result<usize, ActError> {
    let recalled = deliberation.recall(query, None).await?;
    deliberation.propose(intent, "summary", "prop-1", now)?;
    Ok(recalled.len())
}

fn main() {
    let _ = plan;
}
