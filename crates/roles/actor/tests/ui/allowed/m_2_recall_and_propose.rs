//! Twin of the cases on deliberations in `refused`: recall, look, settle, submit.

use counterfoil_actor::types::{IntentInstance, Proposal, Query, UnixMillis};
use counterfoil_actor::{ActError, Deliberation};

async fn plan(
    deliberation: Deliberation<'_>,
    query: Query,
    intent: IntentInstance,
    now: UnixMillis,
) -> Result<Proposal, ActError> {
    let recalled = deliberation.recall(query, None).await?;
    let summary = format!("after {} memories", recalled.len());
    deliberation.propose(intent, summary, "prop-1", now)
}

fn main() {
    let _ = plan;
}
