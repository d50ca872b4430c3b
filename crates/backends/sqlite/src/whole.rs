//! Content that follows from others is written out before they go (capsules 4.6).

use counterfoil_capsule::payload_hash;
use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::{Connection, params};

use crate::packed::Packed;
use crate::rows;
use crate::statement::Statements;

/// Writes the content of a capsule out, so that it does not follow from others any more. Content that is
/// erased stays erased.
///
/// # Errors
/// [`StoreError::Corrupt`] when the content that follows is not the one that was sealed: nothing
/// is taken away then.
pub(crate) fn keep_whole(connection: &Connection, index: u64) -> Result<(), StoreError> {
    let place = || StoreLocation::entry("body", index);
    let stored = rows::capsule(connection, index)?
        .ok_or_else(|| StoreError::corrupt(place(), "there is no capsule"))?;
    let Some(payload) = stored.payload else {
        return Ok(());
    };
    if payload_hash(&payload.salt, payload.text.as_bytes()) != stored.header.payload().hash() {
        return Err(StoreError::corrupt(
            place(),
            "the content that follows from its chain is not the one that was sealed",
        ));
    }
    let packed = Packed::of_content(stored.header.seq(), &payload.text);
    connection.run(
        "UPDATE body SET payload = ?2 WHERE idx = ?1 AND payload IS NULL",
        params![index, packed],
    )
}
