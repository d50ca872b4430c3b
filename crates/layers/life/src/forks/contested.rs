//! Memories that rest on a contested capsule (capsules 4.5, 4.7; I7): shown as such, never deleted.

use counterfoil_capsule::{Kind, RecordKind};
use counterfoil_store::StoreError;
use counterfoil_store::text_index::Contest;

use super::branches::frozen_at;
use crate::entries::{Sides, header, state};
use crate::keys::key_chain;
use crate::port::rows::{AbandonedRow, CompromiseRow, ForkRow};
use crate::port::{Select, Txn};

/// Returns the reason why the capsule at `index` is contested; `None` when it is not. Cheap where nothing ever forked.
///
/// # Errors
/// When it cannot be read.
pub fn contested(txn: &dyn Txn, index: u64) -> Result<Option<Contest>, StoreError> {
    if txn.has(Select::of::<AbandonedRow>().with("idx", index))? {
        return Ok(Some(Contest::Abandoned));
    }
    if !txn.has(Select::of::<ForkRow>().only(&["seq"]))?
        && !txn.has(Select::of::<CompromiseRow>())?
    {
        return Ok(None);
    }
    let state = state(txn, index)?;
    let frozen = frozen_at(txn, &state.chain)?;
    if let Some(at) = frozen.filter(|at| *at <= state.version.seq) {
        return Ok(Some(Contest::Fork { at }));
    }
    let Some(header) = header(txn, index)? else {
        return Ok(None);
    };
    let (agent, number) = (header.agent(), header.key_number());
    let marks = Select::of::<CompromiseRow>().with("agent", agent);
    let from: Vec<u64> = txn.column(marks.with("number", number), &["from_idx"])?;
    if from.iter().all(|from| *from > index) {
        return Ok(None);
    }
    // A mark of a key chain is its owner's: who holds a stolen key cannot make one, since the recovery
    // key has signed it as well, and the fold checks that.
    if header.kind() == Kind::Record(RecordKind::KeyCompromise) {
        let keys = key_chain(Sides::both(txn), &agent)?;
        if keys.is_some_and(|keys| keys.records.iter().any(|record| record.index == index)) {
            return Ok(None);
        }
    }
    Ok(Some(Contest::Key { number }))
}
