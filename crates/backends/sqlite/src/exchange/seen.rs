//! Requests that were heard: each for its time, none evicted before (R4; case 66).

use counterfoil_exchange::answering::{SeenQuotas, Sighting};
use counterfoil_exchange::documents::RequestId;
use counterfoil_store::{RequestState, StoreError};
use counterfoil_types::{DidKey, Sha256Hash};
use rusqlite::{Connection, params};

use crate::statement::Statements;

/// So many whose time is past are removed with each that is added: more than one, so that there is an end to them.
const REMOVED_WITH_EACH: u32 = 4;
/// So many are removed where there is no room, which does not make those who append wait for long.
const REMOVED_FOR_ROOM: u32 = 10_000;
/// Under which all are counted.
const ALL: &[u8] = &[];

/// Returns the status of a request.
pub(crate) fn seen(
    connection: &Connection,
    key: &DidKey,
    id: &RequestId,
    hash: &Sha256Hash,
) -> Result<RequestState, StoreError> {
    let known = known(connection, key, id)?;
    Ok(known.map_or(RequestState::New, |(known, _)| compared(&known, hash)))
}

/// Writes down that a request was heard, if it was not and there is room.
pub(crate) fn see(
    connection: &Connection,
    sighting: &Sighting,
    now_us: u64,
    quotas: SeenQuotas,
) -> Result<RequestState, StoreError> {
    if let Some((hash, until_us)) = known(connection, &sighting.key, &sighting.request_id)? {
        if now_us <= until_us {
            return Ok(compared(&hash, &sighting.hash));
        }
        connection.run(
            "DELETE FROM request_seen WHERE agent = ?1 AND id = ?2",
            params![sighting.key.public_key(), sighting.request_id.as_str()],
        )?;
    }
    remove_past(connection, now_us, REMOVED_WITH_EACH)?;
    let key = sighting.key.public_key().as_slice();
    if count(connection, key)? >= u64::from(quotas.per_key) {
        connection.run(
            "DELETE FROM request_seen WHERE agent = ?1 AND until < ?2",
            params![sighting.key.public_key(), now_us],
        )?;
        if count(connection, key)? >= u64::from(quotas.per_key) {
            return Ok(RequestState::Full);
        }
    }
    if count(connection, ALL)? >= u64::from(quotas.in_all) {
        remove_past(connection, now_us, REMOVED_FOR_ROOM)?;
        if count(connection, ALL)? >= u64::from(quotas.in_all) {
            return Ok(RequestState::Full);
        }
    }
    connection.run(
        "INSERT INTO request_seen (agent, id, hash, until) VALUES (?1, ?2, ?3, ?4)",
        params![
            sighting.key.public_key(),
            sighting.request_id.as_str(),
            sighting.hash.as_bytes(),
            sighting.until_us
        ],
    )?;
    Ok(RequestState::New)
}

fn compared(known: &[u8; 32], hash: &Sha256Hash) -> RequestState {
    match known == hash.as_bytes() {
        true => RequestState::Same,
        false => RequestState::Other,
    }
}

/// Returns hash and end of validity, in microseconds since 1970, of a request that was heard.
fn known(
    connection: &Connection,
    key: &DidKey,
    id: &RequestId,
) -> Result<Option<([u8; 32], u64)>, StoreError> {
    connection.find(
        "SELECT hash, until FROM request_seen WHERE agent = ?1 AND id = ?2",
        params![key.public_key(), id.as_str()],
    )
}

/// Number of requests of a key, or of all under the empty one.
fn count(connection: &Connection, key: &[u8]) -> Result<u64, StoreError> {
    let sql = "SELECT times FROM request_seen_count WHERE agent = ?1";
    connection.find(sql, [key]).map(Option::unwrap_or_default)
}

/// Removes requests that are past their time at `now_us`, the oldest first.
fn remove_past(connection: &Connection, now_us: u64, at_most: u32) -> Result<(), StoreError> {
    connection.run(
        "DELETE FROM request_seen WHERE (agent, id) IN
             (SELECT agent, id FROM request_seen WHERE until < ?1 ORDER BY until LIMIT ?2)",
        params![now_us, at_most],
    )
}
