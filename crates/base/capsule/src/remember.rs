//! A fresh memory as a World: the members of World Protocol v1.0 §4.1, with the hashes of this project.

use alloc::string::{String, ToString};

use counterfoil_types::json::{self, Value};
use counterfoil_types::{ReadError, UnixMillis, World, WorldId};
use sha2::{Digest, Sha256};

use crate::error::CapsuleError;

/// The schema of a memory: `schemaHash` is its SHA-256.
pub const MEMORY_SCHEMA: &str = "counterfoil/memory/v1";

/// A fresh memory: `data` under `world_id`, with no proposal behind it (`createdBy` null).
///
/// `created_at` is when the World came to be in its source, in milliseconds; when it was
/// *recorded* is in the capsule header and is stamped by the store.
///
/// # Errors
/// [`CapsuleError::World`] when `data` has no canonical form (an integer beyond 2^53 - 1, more
/// than 64 deep) or more than 10,000 values.
pub fn remember(
    world_id: WorldId,
    created_at: UnixMillis,
    data: Value,
) -> Result<World, CapsuleError> {
    let snapshot_hash = memory_snapshot_hash(&data)?;
    let members = [
        ("worldId", world_id.to_string().into()),
        ("schemaHash", memory_schema_hash().into()),
        ("snapshotHash", snapshot_hash.into()),
        ("createdAt", created_at.value().into()),
        ("createdBy", Value::Null),
        ("data", data),
    ];
    let members = members.map(|(name, value)| (name.into(), value));
    Ok(World::try_from(Value::Object(
        members.into_iter().collect(),
    ))?)
}

/// The hash of [`MEMORY_SCHEMA`], as [`remember`] writes it into each World.
pub fn memory_schema_hash() -> String {
    sha256_hex(MEMORY_SCHEMA)
}

/// The `snapshotHash` of a memory whose `data` this is: SHA-256 of its canonical form.
///
/// # Errors
/// [`CapsuleError::World`] when it has no canonical form.
pub fn memory_snapshot_hash(data: &Value) -> Result<String, CapsuleError> {
    let snapshot = json::canonical(data).map_err(ReadError::from)?;
    Ok(sha256_hex(&snapshot))
}

fn sha256_hex(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}
