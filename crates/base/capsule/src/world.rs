//! `World`: one memory in the shape of World Protocol v1.0 §4.1; `metadata` is not hashed.

use alloc::string::{String, ToString};

use counterfoil_types::json::{self, Limits, Map, Value};
use counterfoil_types::wire::{self, Fields};
use counterfoil_types::{ShapeError, UnixMillis, WorldId};
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::error::CapsuleError;
use crate::receipt::Receipt;

/// The schema that [`World::remember`] names: `schemaHash` is its SHA-256.
pub const MEMORY_SCHEMA: &str = "counterfoil/memory/v1";

/// A World: its *content*, which is sealed, and its `metadata`, which is what others say about it.
///
/// Members that this version does not know are kept and are part of the content. The member
/// `metadata` is outside every hash: the store puts the receipt there. That a World can be
/// read says nothing about its origin; `prove` and `verify_proof` do.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    id: WorldId,
    created_at: UnixMillis,
    /// Every member but `metadata`; an object.
    content: Value,
    metadata: Option<Map>,
}

impl World {
    /// A fresh memory: `data` under `world_id`, with no proposal behind it (`createdBy` null).
    ///
    /// `created_at` is when the World came to be in its source, in milliseconds; when it was
    /// *recorded* is in the capsule header and is stamped by the store.
    ///
    /// # Errors
    /// [`CapsuleError::Json`] when `data` has no canonical form (an integer beyond 2^53 - 1, more
    /// than 64 deep), [`CapsuleError::ContentTooWide`] when it has more than 10,000 values.
    pub fn remember(
        world_id: WorldId,
        created_at: UnixMillis,
        data: Value,
    ) -> Result<Self, CapsuleError> {
        let snapshot_hash = Self::memory_snapshot_hash(&data)?;
        let mut members = Map::new();
        members.insert("worldId".into(), world_id.to_string().into());
        members.insert("schemaHash".into(), Self::memory_schema_hash().into());
        members.insert("snapshotHash".into(), snapshot_hash.into());
        members.insert("createdAt".into(), created_at.value().into());
        members.insert("createdBy".into(), Value::Null);
        members.insert("data".into(), data);
        Self::new(world_id, created_at, members, None)
    }

    /// Reads a World from JSON, strictly: no duplicate members, no lone surrogates, no integers
    /// beyond 2^53 - 1, at most 16 MiB.
    ///
    /// # Errors
    /// [`CapsuleError::Json`], [`CapsuleError::World`], [`CapsuleError::ContentTooWide`].
    pub fn from_json(bytes: &[u8]) -> Result<Self, CapsuleError> {
        json::parse(bytes, Limits::DOCUMENT)
            .map_err(refused)?
            .try_into()
    }

    /// Canonical JSON (RFC 8785) of the World without `metadata`, which is salted, hashed and
    /// sealed.
    ///
    /// # Errors
    /// [`CapsuleError::Json`] when it has no canonical form, [`CapsuleError::ContentTooLarge`]
    /// above 1 MiB.
    pub fn content(&self) -> Result<String, CapsuleError> {
        let content = json::canonical(&self.content).map_err(refused)?;
        let limit = Limits::CONTENT.bytes;
        if content.len() > limit {
            return Err(CapsuleError::ContentTooLarge {
                found: content.len(),
                limit,
            });
        }
        Ok(content)
    }

    /// The content as a value: the World without `metadata`.
    pub const fn content_value(&self) -> &Value {
        &self.content
    }

    /// The World with its `metadata`, as JSON.
    pub fn to_value(&self) -> Value {
        let mut value = self.content.clone();
        if let (Some(members), Some(metadata)) = (value.as_object_mut(), &self.metadata) {
            members.insert("metadata".into(), Value::Object(metadata.clone()));
        }
        value
    }

    /// Its identifier, opaque (M-11).
    pub const fn world_id(&self) -> &WorldId {
        &self.id
    }

    /// Time of creation in its source, in milliseconds since 1970.
    pub const fn created_at(&self) -> UnixMillis {
        self.created_at
    }

    /// The hash of [`MEMORY_SCHEMA`], as [`World::remember`] writes it into each World.
    pub fn memory_schema_hash() -> String {
        sha256_hex(MEMORY_SCHEMA)
    }

    /// The `snapshotHash` of a memory whose `data` this is: SHA-256 of its canonical form.
    ///
    /// # Errors
    /// [`CapsuleError::Json`] when it has no canonical form.
    pub fn memory_snapshot_hash(data: &Value) -> Result<String, CapsuleError> {
        let snapshot = json::canonical(data).map_err(refused)?;
        Ok(sha256_hex(&snapshot))
    }

    /// The hash of its schema, as its maker wrote it.
    pub fn schema_hash(&self) -> &str {
        self.text("schemaHash").unwrap_or_default()
    }

    /// The hash of its snapshot, as its maker wrote it. No proof rests on it.
    pub fn snapshot_hash(&self) -> &str {
        self.text("snapshotHash").unwrap_or_default()
    }

    /// The proposal that made it; `None` for one that no proposal made.
    pub fn created_by(&self) -> Option<&str> {
        self.text("createdBy")
    }

    /// Content of the memory.
    pub fn data(&self) -> Option<&Value> {
        self.content.get("data")
    }

    /// Statements about the World, such as its receipt; outside the content.
    pub const fn metadata(&self) -> Option<&Map> {
        self.metadata.as_ref()
    }

    /// The receipt that the store laid beside it (`metadata.receipt`).
    ///
    /// # Errors
    /// [`CapsuleError::Document`] when it is there and is not one.
    pub fn receipt(&self) -> Result<Option<Receipt>, CapsuleError> {
        let receipt = self
            .metadata
            .as_ref()
            .and_then(|metadata| metadata.get("receipt"));
        receipt.map(Receipt::from_value).transpose()
    }

    /// The same World with this receipt in the place of any other.
    #[must_use]
    pub fn with_receipt(mut self, receipt: &Receipt) -> Self {
        let metadata = self.metadata.get_or_insert_default();
        metadata.insert("receipt".into(), receipt.to_value());
        self
    }

    /// The same World without `metadata`.
    #[must_use]
    pub fn without_metadata(mut self) -> Self {
        self.metadata = None;
        self
    }

    fn new(
        id: WorldId,
        created_at: UnixMillis,
        members: Map,
        metadata: Option<Map>,
    ) -> Result<Self, CapsuleError> {
        let content = Value::Object(members);
        let limit = Limits::CONTENT.nodes;
        if count(&content, limit).is_none() {
            return Err(CapsuleError::ContentTooWide {
                limit,
                what: "values",
            });
        }
        Ok(Self {
            id,
            created_at,
            content,
            metadata,
        })
    }

    fn text(&self, member: &str) -> Option<&str> {
        self.content.get(member).and_then(Value::as_str)
    }
}

impl TryFrom<Value> for World {
    type Error = CapsuleError;

    fn try_from(value: Value) -> Result<Self, CapsuleError> {
        let mut fields = Fields::of(value);
        let world_id = fields.required("worldId", WorldId::read);
        let schema_hash = fields.required("schemaHash", wire::text);
        let snapshot_hash = fields.required("snapshotHash", wire::text);
        let created_at = fields.required("createdAt", UnixMillis::read);
        let created_by = fields.take("createdBy");
        // A proposal's id or `null`; to leave it out is neither.
        let created_by = fields.keep(match created_by {
            Some(Value::Null) => Ok(Value::Null),
            other => wire::text("createdBy", other.unwrap_or_default()).map(Value::String),
        });
        let trace_ref = fields.optional_nested("executionTraceRef");
        let metadata = fields.optional("metadata", wire::object);
        let mut members = fields.rest();
        let required = || {
            Some((
                world_id?,
                schema_hash?,
                snapshot_hash?,
                created_at?,
                created_by?,
            ))
        };
        let (id, schema_hash, snapshot_hash, created_at, created_by) = fields.finish(required)?;
        members.insert("worldId".into(), id.to_string().into());
        members.insert("schemaHash".into(), schema_hash.into());
        members.insert("snapshotHash".into(), snapshot_hash.into());
        members.insert("createdAt".into(), created_at.value().into());
        members.insert("createdBy".into(), created_by);
        if let Some(ArtifactRef(trace_ref)) = trace_ref {
            members.insert("executionTraceRef".into(), trace_ref);
        }
        Self::new(id, created_at, members, metadata)
    }
}

impl Serialize for World {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

/// `{uri, hash}`, with members that we do not know; kept as it came.
struct ArtifactRef(Value);

impl TryFrom<Value> for ArtifactRef {
    type Error = ShapeError;

    fn try_from(value: Value) -> Result<Self, ShapeError> {
        let mut fields = Fields::of(value.clone());
        let uri = fields.required("uri", wire::text);
        let hash = fields.required("hash", wire::text);
        fields.finish(|| uri.zip(hash)).map(|_| Self(value))
    }
}

/// Number of values; `None` above `limit`.
///
/// Deeper values than are ever accepted are not walked: their canonical form is refused.
fn count(value: &Value, limit: usize) -> Option<usize> {
    fn left(value: &Value, left_over: usize, depth: usize) -> Option<usize> {
        let rest = left_over.checked_sub(1)?;
        match value {
            Value::Array(items) if depth > 0 => items
                .iter()
                .try_fold(rest, |rest, item| left(item, rest, depth - 1)),
            Value::Object(members) if depth > 0 => members
                .values()
                .try_fold(rest, |rest, member| left(member, rest, depth - 1)),
            _ => Some(rest),
        }
    }
    left(value, limit, Limits::CONTENT.depth).map(|rest| limit - rest)
}

fn sha256_hex(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

fn refused(source: json::JsonError) -> CapsuleError {
    CapsuleError::Json {
        what: "World",
        source,
    }
}
