//! CR-10: an id and a time are not enough; what is missing first is the intent.

use counterfoil_actor::types::UnixMillis;
use counterfoil_actor::{Deliberation, NeedsIntent};

fn early(deliberation: Deliberation<'_, NeedsIntent>, now: UnixMillis) {
    let _ = deliberation.submit("prop-1", now);
}

fn main() {
    let _ = early;
}
