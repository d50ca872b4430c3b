//! Marks of Worlds that say the same in the same scope, and of idempotency keys: what has an equal mark has to be compared.

use counterfoil_capsule::World;
use counterfoil_store::StoreError;
use counterfoil_types::Scope;
use counterfoil_types::json::{Value, canonical};
use rusqlite::Connection;

use super::sql::LEFT_OUT;
use crate::statement::Statements;

/// The marks of each World with content.
pub(super) const SQL: &str = "
CREATE TABLE text_same (
    mark INTEGER NOT NULL,
    idx  INTEGER NOT NULL,
    PRIMARY KEY (mark, idx)
) STRICT, WITHOUT ROWID;
";

/// The most Worlds with one mark that are looked at.
const MAX_MARKED: usize = 64;

/// Mark of a World: of text and speaker in its scope, or of all its data where there is no text.
pub(crate) fn said(world: &World) -> i64 {
    let data = world.data().unwrap_or(&Value::Null);
    let scope = &Scope::of(Some(data));
    let text = |name| data.get(name).and_then(Value::as_str);
    match text("text") {
        Some(said) => mark(&["text", said, text("speaker").unwrap_or_default()], scope),
        None => mark(&["data", &canonical(data).unwrap_or_default()], scope),
    }
}

/// Mark of an idempotency key in a scope.
pub(crate) fn key(key: &str, scope: &Scope) -> i64 {
    mark(&["key", key], scope)
}

fn mark(parts: &[&str], scope: &Scope) -> i64 {
    let mut hasher = blake3::Hasher::new();
    let scope = scope.to_string();
    for part in parts.iter().copied().chain([scope.as_str()]) {
        let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
        hasher.update(&length.to_be_bytes());
        hasher.update(part.as_bytes());
    }
    let first = hasher.finalize().as_bytes().first_chunk().copied();
    i64::from_be_bytes(first.unwrap_or_default())
}

/// Adds the marks of the World at `idx`.
pub(super) fn add(connection: &Connection, idx: u64, world: &World) -> Result<(), StoreError> {
    let own_key = world.data().and_then(|data| data.get("key")?.as_str());
    let own_key = own_key.map(|own_key| key(own_key, &Scope::of(world.data())));
    for mark in [said(world)].into_iter().chain(own_key) {
        let sql = "INSERT OR IGNORE INTO text_same VALUES (?1, ?2)";
        connection.run(sql, (mark, idx))?;
    }
    Ok(())
}

/// Current versions with a mark, that `actor` has not forgotten: the first recorded first.
///
/// # Errors
/// When the index can't be read.
pub(crate) fn marked(
    connection: &Connection,
    mark: i64,
    actor: &str,
) -> Result<Vec<u64>, StoreError> {
    let sql = format!(
        "SELECT same.idx FROM text_same AS same JOIN text_turns AS turn USING (idx)
         WHERE same.mark = ?2 AND NOT EXISTS (SELECT 1 FROM text_turns AS later
             WHERE later.first = coalesce(turn.first, turn.idx) AND later.idx > turn.idx)
         AND same.idx NOT IN ({LEFT_OUT}) ORDER BY same.idx LIMIT {MAX_MARKED}"
    );
    connection.list(&sql, (actor, mark))
}
