//! `World`: one memory in the shape of World Protocol v1.0 §4.1; `metadata` is not hashed.

use alloc::string::{String, ToString};

use serde::{Serialize, Serializer};

use crate::json::{self, JsonError, Limits, Map, Value};
use crate::wire::{self, Fields};
use crate::{ReadError, ShapeError, UnixMillis, WorldId};

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
    /// Reads a World from JSON, strictly: no duplicate members, no lone surrogates, no integers
    /// beyond 2^53 - 1, at most 16 MiB.
    ///
    /// # Errors
    /// [`ReadError`], also for content of more than 10,000 values.
    pub fn from_json(bytes: &[u8]) -> Result<Self, ReadError> {
        json::parse(bytes, Limits::DOCUMENT)?.try_into()
    }

    /// Canonical JSON (RFC 8785) of the World without `metadata`, which is salted, hashed and
    /// sealed.
    ///
    /// # Errors
    /// [`ReadError::Json`] when it has no canonical form or more than 1 MiB.
    pub fn content(&self) -> Result<String, ReadError> {
        let content = json::canonical(&self.content)?;
        let limit = Limits::CONTENT.bytes;
        let found = content.len();
        match found > limit {
            true => Err(JsonError::TooLarge { limit, found }.into()),
            false => Ok(content),
        }
    }

    /// The content as a value: the World without `metadata`.
    pub const fn content_value(&self) -> &Value {
        &self.content
    }

    /// The part of the content that two equal versions have in common: all but `worldId` and `createdAt`.
    pub fn state(&self) -> Value {
        let mut state = self.content.clone();
        if let Some(members) = state.as_object_mut() {
            members.remove("worldId");
            members.remove("createdAt");
        }
        state
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

    /// The same World with this member of `metadata` in the place of any other of that name.
    #[must_use]
    pub fn with_metadata(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let metadata = self.metadata.get_or_insert_default();
        metadata.insert(name.into(), value.into());
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
    ) -> Result<Self, ReadError> {
        let content = Value::Object(members);
        let limit = Limits::CONTENT.nodes;
        if count(&content, limit).is_none() {
            return Err(JsonError::TooManyValues { limit }.into());
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
    type Error = ReadError;

    fn try_from(value: Value) -> Result<Self, ReadError> {
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
