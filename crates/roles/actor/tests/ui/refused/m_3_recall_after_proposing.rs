//! M-3, CR-10: a deliberation that was proposed is gone; nothing can be selected after submission.

use counterfoil_actor::types::{IntentInstance, Query, UnixMillis};
use counterfoil_actor::{ActError, Deliberation};

async fn plan(
    deliberation: Deliberation<'_>,
    query: Query,
    intent: IntentInstance,
    now: UnixMillis,
) -> Result<usize, ActError> {
    deliberation.propose(intent, "summary", "prop-1", now)?;
    let recalled = deliberation.recall(query, None).await?;
    Ok(recalled.len())
}

fn main() {
    let _ = plan;
}
