//! Counts, sizes, and the health of file and library.

use counterfoil_life::Txn;
use counterfoil_store::StoreError;

use super::SqliteStore;
use crate::health::{Health, Stats};
use crate::port::Tables;
use crate::statement::Statements;
use crate::{audit, schema, sealed};

impl SqliteStore {
    /// Counts and sizes.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn stats(&self) -> Result<Stats, StoreError> {
        self.query(|connection| {
            let number = |sql| connection.get::<u64>(sql, []);
            let page_bytes = number("PRAGMA page_size")?;
            let statements = number("SELECT count(*) FROM claim_unit")?;
            let first = "SELECT count(*) FROM chain JOIN world USING (idx) WHERE seq = 0";
            Ok(Stats {
                memories: number(first)?.saturating_sub(statements),
                facts: number("SELECT count(*) FROM claim_line WHERE units > 0")?,
                statements,
                shipped: connection.list("SELECT destination, size FROM ship ORDER BY 1", [])?,
                last_us: connection.get("SELECT max(recorded_at) FROM agent", [])?,
                entries: Tables::new(connection).head()?.0,
                worlds: number("SELECT count(*) FROM world")?,
                agents: number("SELECT count(*) FROM agent")?,
                chains: number("SELECT count(*) FROM chain WHERE seq = 0")?,
                file_bytes: number("PRAGMA page_count")? * page_bytes,
                free_bytes: number("PRAGMA freelist_count")? * page_bytes,
                // `dbstat` is a compile-time option of SQLite; the bundled library has it.
                tables: connection
                    .list(
                        "SELECT coalesce(tbl_name, dbstat.name) AS owner,
                                sum(dbstat.pgsize) AS bytes
                         FROM dbstat LEFT JOIN sqlite_schema USING (name)
                         WHERE aggregate = TRUE GROUP BY owner ORDER BY bytes DESC, owner",
                        [],
                    )
                    .unwrap_or_default(),
            })
        })
        .await
    }

    /// Checks file, library and settings.
    ///
    /// # Errors
    /// When the file cannot be read at all.
    pub async fn health(&self) -> Result<Health, StoreError> {
        let guard_mismatch = self.guard_mismatch().map(ToString::to_string);
        let keys = self.options().keys.clone();
        self.query(move |connection| {
            let version = schema::pragma(connection, "user_version")?;
            Ok(Health {
                sqlite_version: rusqlite::version().to_owned(),
                schema_version: u64::try_from(version).unwrap_or(0),
                journal_mode: connection.get("PRAGMA journal_mode", [])?,
                integrity: audit::integrity(connection)?,
                schema_differences: schema::differences(connection, &schema::scratch(connection)?)?,
                keyless: sealed::keyless(connection, &keys)?,
                guard_mismatch,
            })
        })
        .await
    }
}
