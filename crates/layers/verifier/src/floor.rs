//! Step 7 of `proof.md` §3: a log neither falls below its anchored floor nor leaves its past.

use crate::anchors::LogAnchor;
use crate::checkpoint::Checkpoint;
use crate::consistency::{self, Consistency, Head};
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
    let Some(floor) = log.floor() else {
        return Ok(());
    };
    let old = Head {
        size: floor.size(),
        root: floor.root(),
    };
    let new = Head {
        size: checkpoint.size(),
        root: checkpoint.root(),
    };
    if new.size < old.size {
        return Err(Refusal::BelowFloor {
            floor: old.size,
            size: new.size,
        });
    }
    if new.size == old.size {
        return match old.root == new.root {
            true => Ok(()),
            false => Err(Refusal::ForkAtFloor {
                size: old.size,
                anchored: old.root,
                shown: new.root,
            }),
        };
    }
    let given = given.ok_or(Refusal::ConsistencyMissing {
        floor: old.size,
        size: new.size,
    })?;
    if given.from != old.size {
        let (floor, found) = (old.size, given.from);
        return Err(Refusal::ConsistencyFrom { floor, found });
    }
    consistency::verify(old, new, &given.hashes)
}
