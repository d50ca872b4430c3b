//! What recall handed out, and what came back of it: beside the log, without proof (I6).

use counterfoil_store::StoreError;
use rusqlite::{Connection, params};

use crate::error::from_sqlite;
use crate::statement::Statements;

/// Period for which a re-entry counts, in microseconds.
const WINDOW_US: u64 = 60_000_000;
/// More rows than this are not written within that time: the newest is counted up.
const MAX_ROWS: u32 = 65;

/// Tests whether what was said was handed out.
pub(super) fn was_served(connection: &Connection, said: i64) -> Result<bool, StoreError> {
    connection.has("SELECT 1 FROM claim_served WHERE said = ?1", [said])
}

/// Returns the number of re-entries in the last 60 seconds.
pub(super) fn re_entries(
    connection: &Connection,
    said: i64,
    now_us: u64,
) -> Result<u32, StoreError> {
    let times: i64 = connection.get(
        "SELECT coalesce(sum(times), 0) FROM claim_re_entry WHERE said = ?1 AND at > ?2",
        params![said, now_us.saturating_sub(WINDOW_US)],
    )?;
    Ok(u32::try_from(times).unwrap_or(u32::MAX))
}

/// Counts that it came back.
pub(super) fn count_re_entry(
    connection: &Connection,
    said: i64,
    now_us: u64,
) -> Result<(), StoreError> {
    let sql = match re_entries(connection, said, now_us)? < MAX_ROWS {
        true => {
            "INSERT INTO claim_re_entry (said, at, times) VALUES (?1, ?2, 1)
             ON CONFLICT (said, at) DO UPDATE SET times = times + 1"
        }
        false => {
            "UPDATE claim_re_entry SET times = times + 1, at = max(at, ?2)
             WHERE said = ?1 AND at = (SELECT max(at) FROM claim_re_entry WHERE said = ?1)"
        }
    };
    connection.run(sql, params![said, now_us])
}

/// Writes down that a claim was handed out.
pub(super) fn note(
    connection: &Connection,
    (said, index): (i64, u64),
    at_us: u64,
    times: u64,
) -> Result<(), StoreError> {
    connection.run(
        "INSERT INTO claim_served (said, idx, first, times) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (said, idx) DO UPDATE SET times = times + excluded.times",
        params![said, index, at_us, times],
    )
}

/// Under which hashes the claim at `index` was handed out.
pub(super) fn said_of(connection: &Connection, index: u64) -> Result<Vec<i64>, StoreError> {
    connection.list("SELECT said FROM claim_served WHERE idx = ?1", [index])
}

/// Takes out what names a claim whose content is gone, and what came back of it unless another claim was handed out
/// for the same.
pub(super) fn forget(connection: &Connection, index: u64, said: &[i64]) -> Result<(), StoreError> {
    connection
        .execute("DELETE FROM claim_served WHERE idx = ?1", [index])
        .map_err(from_sqlite)?;
    for said in said {
        connection
            .execute(
                "DELETE FROM claim_re_entry WHERE said = ?1
                 AND NOT EXISTS (SELECT 1 FROM claim_served WHERE claim_served.said = ?1)",
                [said],
            )
            .map_err(from_sqlite)?;
    }
    Ok(())
}
