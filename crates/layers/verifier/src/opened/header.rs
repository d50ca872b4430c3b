//! Members of a capsule's header that an authority reads: agent, time, subject (`docs/format/capsule.md`, header).

use alloc::string::String;

use counterfoil_types::json::{Limits, Map, Value, admit};
use counterfoil_types::{Blake3Hash, DidKey, WorldId, calendar};

use super::error::OpenedError;
use super::{closed, text, wrong};

/// All members of a header, in the order of their names.
pub const HEADER_MEMBERS: [&str; 13] = [
    "agent",
    "chain",
    "delta",
    "ext",
    "id",
    "mutation",
    "payload",
    "previous",
    "seq",
    "timestamp",
    "type",
    "version",
    "world",
];

/// Agent, time and subject of a capsule. Its place in the chain is not checked here.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenedHeader {
    /// The author.
    pub agent: DidKey,
    /// Number in its chain, from 0.
    pub seq: u64,
    /// Time of writing by the author's clock, in microseconds since 1970.
    pub timestamp_us: u64,
    /// Kind of the content; `None` for a World.
    pub kind: Option<String>,
    pub(super) world: Option<WorldId>,
    /// Number of the agent's signing key; 0 is the key that the agent is named after.
    pub(super) key_number: u64,
    /// Address of the content, and its length in bytes.
    pub(super) payload: (Blake3Hash, u64),
}

impl OpenedHeader {
    /// Reads a header in its canonical form, at most 4 KiB, without unknown members.
    pub(super) fn parse(canonical: &str) -> Result<Self, OpenedError> {
        let value = admit(canonical.as_bytes(), Limits::HEADER).map_err(OpenedError::Header)?;
        let members = closed(&value, &HEADER_MEMBERS)?;
        if text(members, "type")? != "memory_capsule" || text(members, "version")? != "1" {
            return Err(wrong("header.type", "a memory capsule of version 1"));
        }
        text(members, "chain")?;
        let empty = Map::new();
        let ext = match members.get("ext") {
            None => &empty,
            Some(ext) => ext
                .as_object()
                .ok_or_else(|| wrong("header.ext", "an object"))?,
        };
        Ok(Self {
            agent: text(members, "agent")?
                .parse()
                .map_err(|_| wrong("header.agent", "did:key of an Ed25519 key"))?,
            seq: whole(members, "seq")?,
            timestamp_us: calendar::timestamp(text(members, "timestamp")?)
                .ok_or_else(|| wrong("header.timestamp", "YYYY-MM-DDTHH:MM:SS.ffffffZ"))?,
            world: match members.get("world") {
                None => None,
                Some(world) => Some(
                    WorldId::try_from(world.clone())
                        .map_err(|_| wrong("header.world", "a WorldId"))?,
                ),
            },
            kind: match ext.get("kind") {
                None => None,
                Some(_) => Some(text(ext, "kind")?.into()),
            },
            key_number: match ext.get("key") {
                None => 0,
                Some(_) => whole(ext, "key")?,
            },
            payload: payload(members)?,
        })
    }
}

fn payload(members: &Map) -> Result<(Blake3Hash, u64), OpenedError> {
    let payload = members
        .get("payload")
        .ok_or_else(|| wrong("header.payload", "there"))?;
    let payload = closed(payload, &["hash", "media_type", "size"])?;
    let hash = text(payload, "hash")?;
    let hash = hash
        .parse()
        .map_err(|_| wrong("header.payload.hash", "blake3: and 64 hexadecimal digits"))?;
    Ok((hash, whole(payload, "size")?))
}

fn whole(members: &Map, name: &'static str) -> Result<u64, OpenedError> {
    let number = members.get(name).and_then(Value::as_u64);
    number.ok_or_else(|| wrong(name, "an integer from 0 on"))
}
