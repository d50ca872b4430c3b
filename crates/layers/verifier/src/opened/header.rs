//! What an authority reads in a capsule's header: who, when, of what (`docs/format/capsule.md`, header).

use alloc::string::String;

use counterfoil_types::json::{Limits, Map, Value, admit};
use counterfoil_types::{Blake3Hash, DidKey, WorldId, calendar};

use super::error::OpenedError;
use super::{closed, text, wrong};

/// The members of a header, in the order of their names; every one is known to both sides.
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

/// Agent, time and subject of a capsule. How it stands in its chain is not checked here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedHeader {
    agent: DidKey,
    chain: String,
    seq: u64,
    timestamp_us: u64,
    world: Option<WorldId>,
    kind: Option<String>,
    key_number: u64,
    payload: (Blake3Hash, u64),
}

impl OpenedHeader {
    /// Reads a header that is the canonical form of what it says, at most 4 KiB, with no member that is not known.
    pub(super) fn parse(canonical: &str) -> Result<Self, OpenedError> {
        let value = admit(canonical.as_bytes(), Limits::HEADER).map_err(OpenedError::Header)?;
        let members = closed(&value, &HEADER_MEMBERS)?;
        if text(members, "type")? != "memory_capsule" || text(members, "version")? != "1" {
            return Err(wrong("header.type", "a memory capsule of version 1"));
        }
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
            chain: text(members, "chain")?.into(),
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

    /// Who wrote it, by its own word.
    #[must_use]
    pub const fn agent(&self) -> DidKey {
        self.agent
    }

    /// The id of its chain.
    #[must_use]
    pub fn chain(&self) -> &str {
        &self.chain
    }

    /// Its number in the chain.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// When it was written, by the writer's word: microseconds since 1970.
    #[must_use]
    pub const fn timestamp_us(&self) -> u64 {
        self.timestamp_us
    }

    /// The World whose content it holds.
    #[must_use]
    pub const fn world(&self) -> Option<&WorldId> {
        self.world.as_ref()
    }

    /// What it holds; `None` for a World.
    #[must_use]
    pub fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// The number of the agent's key that signs it; 0 is the key that the agent is named after.
    #[must_use]
    pub const fn key_number(&self) -> u64 {
        self.key_number
    }

    /// Address and bytes of the content.
    #[must_use]
    pub const fn payload(&self) -> (Blake3Hash, u64) {
        self.payload
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
