//! Versions of the schema: each migration is one transaction, and a newer schema is refused.

use std::sync::Arc;

use counterfoil_store::StoreError;
use tokio_postgres::error::SqlState;

use crate::error::{failed, unavailable};
use crate::session::Database;

const MIGRATING: &str = "making the database of the shared ground ready";

/// Migrations of the ground, in their order.
pub(crate) const GROUND: Part = (
    "ground",
    &[include_str!("schema.sql")],
    include_str!("guards.sql"),
);

/// Migrations of the keys of content, in their order.
pub(crate) const KEYS: Part = (
    "keys",
    &[include_str!("keys.sql")],
    include_str!("key_guards.sql"),
);

/// Name of a part of the schema, its migrations, and its guards, where the engine has such.
type Part = (&'static str, &'static [&'static str], &'static str);

const VERSION: &str = "SELECT version FROM counterfoil.version WHERE part = $1";

/// Brings a part of the schema to its newest version.
pub(crate) async fn migrate(
    database: &Database,
    (part, migrations, guards): Part,
) -> Result<(), StoreError> {
    let mut session = database.session().await?;
    let client = Arc::get_mut(&mut session.client);
    let client = client.ok_or(StoreError::Bug("a connection of two"))?;
    let to = |error: tokio_postgres::Error| failed(MIGRATING, &error);
    client
        .batch_execute(
            "CREATE SCHEMA IF NOT EXISTS counterfoil; \
             CREATE TABLE IF NOT EXISTS counterfoil.version (part text PRIMARY KEY, version bigint NOT NULL)",
        )
        .await
        .map_err(to)?;
    client
        .execute(
            "INSERT INTO counterfoil.version VALUES ($1, 0) ON CONFLICT DO NOTHING",
            &[&part],
        )
        .await
        .map_err(to)?;
    for (version, sql) in (1_i64..).zip(migrations) {
        let migration = client.transaction().await.map_err(to)?;
        let held = format!("{VERSION} FOR UPDATE");
        let found: i64 = migration
            .query_one(&held, &[&part])
            .await
            .map_err(to)?
            .get(0);
        if found >= version {
            continue;
        }
        migration.batch_execute(sql).await.map_err(to)?;
        migration
            .execute(
                "UPDATE counterfoil.version SET version = $2 WHERE part = $1",
                &[&part, &version],
            )
            .await
            .map_err(to)?;
        migration.commit().await.map_err(to)?;
        if version == 1 {
            guard(client, guards).await?;
        }
    }
    require(database, (part, migrations, guards)).await
}

/// Adds the second locks. An engine that has none of them goes without.
async fn guard(client: &mut tokio_postgres::Client, guards: &str) -> Result<(), StoreError> {
    let to = |error: tokio_postgres::Error| failed(MIGRATING, &error);
    let guarding = client.transaction().await.map_err(to)?;
    match guarding.batch_execute(guards).await {
        Ok(()) => guarding.commit().await.map_err(to),
        Err(error) if error.code() == Some(&SqlState::FEATURE_NOT_SUPPORTED) => {
            tracing::warn!("the engine has no row-level security or triggers: they guard nothing");
            Ok(())
        }
        Err(error) => Err(to(error)),
    }
}

/// Refuses a schema of another version.
pub(crate) async fn require(
    database: &Database,
    (part, migrations, _): Part,
) -> Result<(), StoreError> {
    let session = database.session().await?;
    let found = session.client.query_opt(VERSION, &[&part]).await;
    let found = found.map_err(|error| failed("reading the shared ground", &error))?;
    let found: i64 = found.map_or(0, |row| row.get(0));
    let newest = i64::try_from(migrations.len()).unwrap_or(i64::MAX);
    match found {
        _ if found == newest => Ok(()),
        _ if found > newest => Err(unavailable(
            "reading the shared ground",
            format_args!(
                "its schema has version {found}, and this program knows {newest}: use a newer program"
            ),
        )),
        _ => Err(unavailable(
            "reading the shared ground",
            format_args!(
                "its schema has version {found} of {newest}: run `counterfoil reach init`"
            ),
        )),
    }
}
