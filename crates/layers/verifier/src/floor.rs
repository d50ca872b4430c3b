//! Step 7 of `proof.md` §3: a log neither falls below its anchored floor nor leaves its past.

use crate::anchors::LogAnchor;
use crate::checkpoint::Checkpoint;
use crate::consistency::{self, Consistency};
use crate::refusal::Refusal;

/// Returns `Ok` iff the checkpoint is, or extends, the floor of its log.
///
/// A consistency proof is ignored if the anchors have no floor, or the checkpoint as floor: it was made for another
/// authority.
pub(crate) fn check(
    log: &LogAnchor,
    checkpoint: &Checkpoint,
    given: Option<&Consistency>,
) -> Result<(), Refusal> {
    let Some(old @ (floor, anchored)) = log.floor() else {
        return Ok(());
    };
    let new @ (size, shown) = (checkpoint.size(), checkpoint.root());
    if size < floor {
        return Err(Refusal::BelowFloor { floor, size });
    }
    if size == floor {
        return match anchored == shown {
            true => Ok(()),
            false => Err(Refusal::ForkAtFloor {
                size,
                anchored,
                shown,
            }),
        };
    }
    let given = given.ok_or(Refusal::ConsistencyMissing { floor, size })?;
    if given.from != floor {
        let found = given.from;
        return Err(Refusal::ConsistencyFrom { floor, found });
    }
    consistency::verify(old, new, &given.hashes)
}
