//! Garbage collection reads what is held, and removes nothing else (capsules 4.6, C10).

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use counterfoil_store::StoreError;
use counterfoil_store::collect::{Fate, HeldCapsule, fate};
use counterfoil_types::Blake3Hash;
use rusqlite::{Connection, params};

use crate::held;
use crate::statement::Statements;
use crate::store::SqliteStore;

/// Prefix of a written hash.
const PREFIX: &str = "blake3:";
const DIGITS: usize = 64;

/// Capsules that are held, and what becomes of each.
type Fates = Vec<(HeldCapsule, Fate)>;

impl SqliteStore {
    /// Returns the plan of [`collect`](Self::collect) without removing anything. `older_than_us` in microseconds.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn plan_collection(&self, older_than_us: u64) -> Result<Fates, StoreError> {
        let now_us = self.options().clock.now_micros();
        self.read(move |connection| fates(connection, older_than_us, now_us))
            .await
    }

    /// Removes capsules that were never accepted, cannot be any more, and are not needed, and returns all that were held.
    /// Of each removed one there remains its hash and the reason; of accepted capsules nothing is ever removed, whatever
    /// their state.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read or written.
    pub async fn collect(&self, older_than_us: u64) -> Result<Fates, StoreError> {
        self.unit(move |unit| {
            let now_us = unit.now_micros();
            let connection = unit.connection();
            let fates = fates(connection, older_than_us, now_us)?;
            for (held, _) in fates.iter().filter(|(_, fate)| *fate == Fate::Collect) {
                connection.run(
                    "INSERT INTO collected (hash, code, at) VALUES (?1, ?2, ?3)",
                    params![held.hash, held.code, now_us],
                )?;
                connection.run("DELETE FROM held WHERE hash = ?1", [held.hash])?;
            }
            Ok(fates)
        })
        .await
    }
}

/// All that is held, by its fate.
fn fates(connection: &Connection, older_than_us: u64, now_us: u64) -> Result<Fates, StoreError> {
    let references = references(connection)?;
    connection.list_with(
        "SELECT hash, class, code, source, at, octet_length(document), capsule, EXISTS (
             SELECT 1 FROM chain WHERE chain.chain = held.chain AND chain.seq = held.seq + 1)
         FROM held ORDER BY at, hash",
        [],
        |row| {
            let hash: [u8; 32] = row.get(0)?;
            let capsule: Option<[u8; 32]> = row.get(6)?;
            let child_accepted: bool = row.get(7)?;
            let named = references.contains(&hash)
                || capsule.is_some_and(|capsule| references.contains(&capsule));
            let held = HeldCapsule {
                hash,
                class: held::class_named(&row.get::<_, String>(1)?),
                code: row.get(2)?,
                source: row.get(3)?,
                at_us: row.get(4)?,
                bytes: row.get(5)?,
                referenced: named || child_accepted,
            };
            let fate = fate(&held, older_than_us, now_us);
            Ok((held, fate))
        },
    )
}

/// Hashes in contradictions that accuse a key, in forks, and in `derived_from` of accepted
/// headers. A contradiction without an accused (a bad signature proves nothing) needs no
/// evidence.
fn references(connection: &Connection) -> Result<BTreeSet<[u8; 32]>, StoreError> {
    let mut found = BTreeSet::new();
    for sql in [
        "SELECT document FROM event WHERE document ->> '$.attributable' = 1",
        "SELECT document FROM fork",
        "SELECT whole_header(header, packed) ->> '$.ext.derived_from' FROM capsule
         WHERE instr(whole_header(header, packed), '\"derived_from\"') > 0",
    ] {
        connection.each(sql, [], |row| {
            let text: Option<String> = row.get(0)?;
            found.extend(hashes(text.as_deref().unwrap_or_default()));
            Ok(())
        })?;
    }
    Ok(found)
}

/// Every hash that is written in a text.
fn hashes(text: &str) -> impl Iterator<Item = [u8; 32]> {
    text.match_indices(PREFIX).filter_map(|(start, _)| {
        let written = text.get(start..start + PREFIX.len() + DIGITS)?;
        let hash: Blake3Hash = written.parse().ok()?;
        Some(*hash.as_bytes())
    })
}
