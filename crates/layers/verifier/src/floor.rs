//! Step 7 of `proof.md` §3: a log neither falls below its anchored floor nor leaves its past.

use crate::anchors::{Floor, LogAnchor};
use crate::checkpoint::Checkpoint;
use crate::consistency::{self, Consistency, Head};
use crate::refusal::Refusal;

/// `Ok` iff the checkpoint is, or extends, the floor of its log.
///
/// A consistency proof that this authority has no use for, as it anchors no floor or the
/// checkpoint itself, was made for another one: it proves nothing here and takes nothing away.
pub(crate) fn check(
    log: &LogAnchor,
    checkpoint: &Checkpoint,
    given: Option<&Consistency>,
) -> Result<(), Refusal> {
    log.floor()
        .map_or(Ok(()), |floor| above(floor, checkpoint, given))
}

fn above(
    floor: &Floor,
    checkpoint: &Checkpoint,
    given: Option<&Consistency>,
) -> Result<(), Refusal> {
    let size = checkpoint.size();
    if size < floor.size() {
        return Err(Refusal::BelowFloor {
            floor: floor.size(),
            size,
        });
    }
    if size == floor.size() {
        return at(floor, checkpoint);
    }
    let given = given.ok_or(Refusal::ConsistencyMissing {
        floor: floor.size(),
        size,
    })?;
    if given.from != floor.size() {
        let (floor, found) = (floor.size(), given.from);
        return Err(Refusal::ConsistencyFrom { floor, found });
    }
    let old = Head {
        size: floor.size(),
        root: floor.root(),
    };
    let new = Head {
        size,
        root: checkpoint.root(),
    };
    consistency::verify(old, new, &given.hashes)
}

fn at(floor: &Floor, checkpoint: &Checkpoint) -> Result<(), Refusal> {
    if floor.root() != checkpoint.root() {
        return Err(Refusal::ForkAtFloor {
            size: floor.size(),
            anchored: floor.root(),
            shown: checkpoint.root(),
        });
    }
    Ok(())
}
