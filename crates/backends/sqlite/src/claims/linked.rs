//! Sorted lists by which rows of claims are found. Each entry holds a check of the one after it, so that a range that lacks
//! an entry, or has one too many, is refused where it is read (docs/format/database.md 2).

use counterfoil_store::StoreError;
use rusqlite::{Connection, Row};

use super::checks::{Check, damaged};
use crate::statement::Statements;

/// A list, and a key of four numbers in it; unused ones are 0.
pub(super) type Entry = [i64; 5];

/// Agents by a hash of their name: hash, number.
pub(super) const AGENT: i64 = 1;
/// Lines: agent, hash of the subject, hash of the predicate, line.
pub(super) const LINE: i64 = 2;
/// Lines that may ever have been contested: agent, line.
pub(super) const RIVALS: i64 = 3;
/// Units: log index, line, agent, stamp.
pub(crate) const UNIT: i64 = 4;
/// Units that name a claim: tag of the name, log index.
pub(super) const NAMED: i64 = 5;
/// Units with an idempotency key: agent, tag of the key, log index.
pub(super) const KEY: i64 = 6;
/// Claims that were queued for a verdict and have none: agent, log index.
pub(super) const PENDING: i64 = 7;
/// Claims of lines in the tree: line, tag of the value, log index.
pub(super) const VALUE: i64 = 8;
/// Windows of lines in the tree by their start: line, node, start, log index.
pub(super) const START: i64 = 9;
/// The same by their end.
pub(super) const UNTIL: i64 = 10;

/// The entry before all others.
const FIRST: Entry = [0; 5];

const BELOW: &str =
    "SELECT list, a, b, c, d, next FROM claim_entry WHERE (list, a, b, c, d) < (?1, ?2, ?3, ?4, ?5)
     ORDER BY list DESC, a DESC, b DESC, c DESC, d DESC";
const FROM: &str = "SELECT list, a, b, c, d, next FROM claim_entry WHERE (list, a, b, c, d) >= (?1, ?2, ?3, ?4, ?5)
     ORDER BY list, a, b, c, d LIMIT 1";

/// Returns true once the lists were begun: until then the index of claims has to be derived from the log.
pub(crate) fn are_begun(connection: &Connection) -> Result<bool, StoreError> {
    connection.has("SELECT 1 FROM claim_entry WHERE list = 0", [])
}

/// Adds an entry, unless it is there. It is added between two that follow each other: behind a gap it would be the one that the
/// entry before the gap names, and nothing would show any more what is missing.
pub(super) fn add(connection: &Connection, entry: Entry) -> Result<(), StoreError> {
    let (before, next) = before(connection, entry)?;
    let after = connection.find_with(FROM, entry, read)?;
    match after {
        Some((after, _)) if next != check(after) => Err(damaged("claim_entry")),
        None => Err(damaged("claim_entry")),
        Some((after, _)) if after == entry => Ok(()),
        Some(_) => {
            let [list, a, b, c, d] = entry;
            connection.run(
                "INSERT INTO claim_entry (list, a, b, c, d, next) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                [list, a, b, c, d, next],
            )?;
            link(connection, before, check(entry))
        }
    }
}

/// Takes an entry out, if it is there.
pub(super) fn remove(connection: &Connection, entry: Entry) -> Result<(), StoreError> {
    let (before, next) = before(connection, entry)?;
    let sql =
        "DELETE FROM claim_entry WHERE (list, a, b, c, d) = (?1, ?2, ?3, ?4, ?5) RETURNING next";
    match (connection.find(sql, entry)?, next == check(entry)) {
        (Some(after), true) => link(connection, before, after),
        (None, false) => Ok(()),
        _ => Err(damaged("claim_entry")),
    }
}

/// Returns the entries that begin with `prefix`, the greatest first.
pub(super) fn list<const N: usize>(
    connection: &Connection,
    prefix: [i64; N],
) -> Result<Vec<Entry>, StoreError> {
    let mut after = prefix;
    if let Some(last) = after.last_mut() {
        *last = last.saturating_add(1);
    }
    let mut found = Vec::new();
    walk(connection, (least(prefix), least(after)), &mut |entry| {
        found.push(entry);
        Ok(true)
    })?;
    Ok(found)
}

/// Gives the entries from the one bound until before the other to `each`, the greatest first, while that says to go on.
/// Nothing lies between two of them, nor between the greatest and the bound, that was not given.
pub(super) fn walk(
    connection: &Connection,
    (from, until): (Entry, Entry),
    each: &mut dyn FnMut(Entry) -> Result<bool, StoreError>,
) -> Result<(), StoreError> {
    let above = connection.find_with(FROM, until, read)?;
    let (mut above, _) = above.ok_or_else(|| damaged("claim_entry"))?;
    let mut is_whole = false;
    connection.visit(BELOW, until, read, |(entry, next)| {
        // An entry is as it was written if the one before it says so; that holds for the one below the range as well.
        if next != check(above) {
            return Err(damaged("claim_entry"));
        }
        is_whole = above < from || (above < until && !each(above)?) || entry == FIRST;
        above = entry;
        Ok(!is_whole)
    })?;
    match is_whole {
        true => Ok(()),
        false => Err(damaged("claim_entry")),
    }
}

/// Returns the least entry that begins with `prefix`.
pub(super) fn least<const N: usize>(prefix: [i64; N]) -> Entry {
    let mut entry = [i64::MIN; 5];
    for (number, given) in entry.iter_mut().zip(prefix) {
        *number = given;
    }
    entry
}

/// The entry before a place, and the check of the one after it.
fn before(connection: &Connection, entry: Entry) -> Result<(Entry, i64), StoreError> {
    let before = connection.find_with(BELOW, entry, read)?;
    before.ok_or_else(|| damaged("claim_entry"))
}

fn link(connection: &Connection, [list, a, b, c, d]: Entry, next: i64) -> Result<(), StoreError> {
    connection.run(
        "UPDATE claim_entry SET next = ?6 WHERE (list, a, b, c, d) = (?1, ?2, ?3, ?4, ?5)",
        [list, a, b, c, d, next],
    )
}

fn read(row: &Row<'_>) -> rusqlite::Result<(Entry, i64)> {
    let entry = [
        row.get(0)?,
        row.get(1)?,
        row.get(2)?,
        row.get(3)?,
        row.get(4)?,
    ];
    Ok((entry, row.get(5)?))
}

fn check(entry: Entry) -> i64 {
    entry.into_iter().fold(Check::new(), Check::number).finish()
}
