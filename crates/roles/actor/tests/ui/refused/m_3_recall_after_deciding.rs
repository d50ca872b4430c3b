//! M-3, CR-10: once the intent is settled, there is no recall any more.

use counterfoil_actor::types::Query;
use counterfoil_actor::{Deliberation, NeedsSubmission};

async fn late(deliberation: Deliberation<'_, NeedsSubmission>, query: Query) {
    let _ = deliberation.recall(query, None).await;
}

fn main() {
    let _ = late;
}
