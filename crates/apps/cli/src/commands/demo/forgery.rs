//! What a forger can do who has the files: write past the store, turn a bit, move a proof.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use counterfoil_types::WorldId;
use counterfoil_types::json::Value;
use rusqlite::{Connection, params};

use crate::failure::Failure;

/// Original text in the database, and the forger's replacement.
pub(super) const FORGERY: (&str, &str) = ("£23.75", "£13.75");

/// Writes into the file past the store, as anyone who has the file can: without the trigger that
/// forbids it. Returns the log index of the changed entry.
pub(super) fn overwrite(database: &Path, victim: &WorldId) -> Result<u64, Failure> {
    let write = || -> rusqlite::Result<u64> {
        let connection = Connection::open(database)?;
        let index: u64 = connection.query_row(
            "SELECT idx FROM world WHERE id = ?1",
            [victim.to_string()],
            |row| row.get(0),
        )?;
        let trigger: String = connection.query_row(
            "SELECT sql FROM sqlite_schema WHERE name = 'body_is_only_taken_away'",
            [],
            |row| row.get(0),
        )?;
        connection.execute_batch("DROP TRIGGER body_is_only_taken_away")?;
        connection.execute(
            "UPDATE body SET payload = replace(payload, ?1, ?2) WHERE idx = ?3",
            params![FORGERY.0, FORGERY.1, index],
        )?;
        connection.execute_batch(&trigger)?;
        Ok(index)
    };
    write().map_err(|error| {
        Failure::place(
            format_args!("the demo's database cannot be forged ({error})"),
            "report it",
        )
    })
}

/// Changes one bit of the first hash in a tlog-proof.
pub(super) fn flip_bit(proof: &mut Value) -> Option<()> {
    let mut lines: Vec<String> = proof.as_str()?.split('\n').map(str::to_owned).collect();
    let line = lines.get_mut(2)?;
    let mut hash = STANDARD.decode(&*line).ok()?;
    *hash.first_mut()? ^= 1;
    *line = STANDARD.encode(hash);
    *proof = Value::String(lines.join("\n"));
    Some(())
}

/// Lets two memories change their references, and keep their proofs.
pub(super) fn swap_references(memories: &mut [Value]) -> Option<()> {
    let first = memories.first()?.get("ref")?.clone();
    let second = std::mem::replace(memories.get_mut(1)?.get_mut("ref")?, first);
    *memories.first_mut()?.get_mut("ref")? = second;
    Some(())
}
