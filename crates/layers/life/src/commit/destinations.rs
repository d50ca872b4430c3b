//! Folders that commits were shipped to, and the keys that an erasure destroys there.

use std::path::Path;

use counterfoil_store::StoreError;

use super::files::numbers;
use super::sealed::{emptied, emptied_entry};
use super::ship::keys_of;
use crate::backend::Backend;
use crate::ground::{Destination, GROUND};
use crate::port::rows::ShipRow;
use crate::port::{Select, Txn};

/// Destroys the keys of all that has gone from the store since it was shipped. Returns each destination that may have had one
/// of the `erased` contents, given as log index and log index of the redaction; without any, each one that is sealed.
/// To repeat it reaches the keys that could not be reached before; so does to ship there.
///
/// # Errors
/// When the store cannot be read. Keys that cannot be destroyed are an obstacle of their destination.
pub async fn destroy_keys(
    store: &impl Backend,
    erased: Vec<(u64, u64)>,
) -> Result<Vec<Destination>, StoreError> {
    let (ground, is_check) = (store.ground(), erased.is_empty());
    let read = move |txn: &dyn Txn| {
        let mut shared = ground.map_or_else(|| Ok(Vec::new()), |ground| ground.copies())?;
        shared.retain(|copy| !is_check || copy.keys.is_some());
        let mut rows: Vec<ShipRow> = txn.list(&Select::of::<ShipRow>())?;
        rows.retain(|row| row.destination != GROUND);
        rows.retain(|row| match erased.is_empty() {
            true => row.keys.is_some(),
            false => erased.iter().any(|of| may_hold(row, *of)),
        });
        let mut found = Vec::with_capacity(rows.len());
        for row in rows {
            let mut slots = emptied(txn, &row)?;
            for (index, _) in &erased {
                slots.extend(emptied_entry(txn, *index)?);
            }
            found.push((row, slots));
        }
        Ok((txn.verifier_key()?, found, shared))
    };
    let (log, found, shared) = store.read(read).await?;
    let done = found.into_iter().map(|(row, slots)| {
        let destroyed = keys_of(store, &row, &log).and_then(|keys| match keys {
            Some(keys) => keys.destroy(&slots).map(Some),
            None => Ok(None),
        });
        let obstacle = match destroyed {
            Ok(Some(_)) => None,
            Ok(None) => {
                Some("its files are not sealed: remove it, and name it to `counterfoil ship --end`".to_owned())
            }
            Err(error) => Some(format!(
                "its keys are not destroyed ({error}): bring them back, and erase again or ship there"
            )),
        };
        Destination {
            folder: row.destination,
            keys: row.keys,
            obstacle,
        }
    });
    Ok(done.chain(shared).collect())
}

/// Tests whether the content of an entry may have been written there. A killed writer has noted nothing of its files.
fn may_hold(row: &ShipRow, (index, redaction): (u64, u64)) -> bool {
    let unnoted = || {
        let written = numbers(Path::new(&row.destination));
        written.map_or(true, |it| it.last().is_some_and(|last| *last > row.number))
    };
    redaction >= row.since && (index < row.size || unnoted())
}
