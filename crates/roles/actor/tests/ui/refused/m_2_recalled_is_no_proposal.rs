//! M-2, FP-02: from what was recalled there is no way to a proposal but through its deliberation.

use counterfoil_actor::Recalled;
use counterfoil_actor::types::{IntentInstance, Proposal, UnixMillis};

fn propose(recalled: Recalled<'_>, intent: IntentInstance, now: UnixMillis) -> Proposal {
    recalled.propose(intent, "summary", "prop-1", now)
}

fn main() {
    let _ = propose;
}
