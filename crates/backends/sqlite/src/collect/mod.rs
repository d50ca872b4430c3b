//! Garbage collection reads what is held, and removes nothing else (capsules 4.6, C10).

mod references;
#[cfg(test)]
mod tests;

use counterfoil_store::StoreError;
use counterfoil_store::collect::{Fate, HeldCapsule, fate};
use rusqlite::{Connection, params};

use crate::held;
use crate::statement::Statements;
use crate::store::SqliteStore;
use crate::unit::Unit;
use references::References;

/// Result of a collection, or its plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CollectReport {
    /// Collected capsules.
    pub collected: Vec<HeldCapsule>,
    /// Number of capsules that stay because they still wait.
    pub waiting: u64,
    /// Number of capsules that stay for their days of grace.
    pub in_grace: u64,
    /// Number of capsules that stay because something needs them.
    pub referenced: u64,
}

impl SqliteStore {
    /// Returns the plan of [`collect`](Self::collect) without removing anything. `older_than_us` in microseconds.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn plan_collection(&self, older_than_us: u64) -> Result<CollectReport, StoreError> {
        let now_us = self.options().clock.now_micros();
        self.read(move |connection| sorted(connection, older_than_us, now_us))
            .await
    }

    /// Removes capsules that were never accepted, cannot be any more, and are not needed. Of each there
    /// remains its hash and the reason; of accepted capsules nothing is ever removed, whatever
    /// their state.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub async fn collect(&self, older_than_us: u64) -> Result<CollectReport, StoreError> {
        self.unit(move |unit| {
            let now_us = unit.now_micros();
            let sorted = sorted(unit.connection(), older_than_us, now_us)?;
            for held in &sorted.collected {
                remove(unit, held)?;
            }
            Ok(sorted)
        })
        .await
    }
}

/// Everything that is held, by its fate.
fn sorted(
    connection: &Connection,
    older_than_us: u64,
    now_us: u64,
) -> Result<CollectReport, StoreError> {
    let mut sorted = CollectReport::default();
    for held in quarantined(connection)? {
        match fate(&held, older_than_us, now_us) {
            Fate::Collect => sorted.collected.push(held),
            Fate::Waits => sorted.waiting += 1,
            Fate::Grace => sorted.in_grace += 1,
            Fate::Referenced => sorted.referenced += 1,
        }
    }
    Ok(sorted)
}

/// All that is held.
fn quarantined(connection: &Connection) -> Result<Vec<HeldCapsule>, StoreError> {
    let references = References::read(connection)?;
    connection.list_with(
        "SELECT hash, class, code, source, at, octet_length(document), capsule, EXISTS (
             SELECT 1 FROM chain WHERE chain.chain = held.chain AND chain.seq = held.seq + 1)
         FROM held ORDER BY at, hash",
        [],
        |row| {
            let hash: [u8; 32] = row.get(0)?;
            let capsule: Option<[u8; 32]> = row.get(6)?;
            let child_accepted: bool = row.get(7)?;
            let named = references.name(&hash) || capsule.is_some_and(|it| references.name(&it));
            Ok(HeldCapsule {
                hash,
                class: held::class_named(&row.get::<_, String>(1)?),
                code: row.get(2)?,
                source: row.get(3)?,
                at_us: row.get(4)?,
                bytes: row.get(5)?,
                referenced: named || child_accepted,
            })
        },
    )
}

/// Removes one, and leaves its trace.
fn remove(unit: &Unit<'_>, held: &HeldCapsule) -> Result<(), StoreError> {
    let connection = unit.connection();
    connection.run(
        "INSERT INTO collected (hash, code, at) VALUES (?1, ?2, ?3)",
        params![held.hash, held.code, unit.now_micros()],
    )?;
    connection.run("DELETE FROM held WHERE hash = ?1", [held.hash])
}
