//! Members of a capsule's header that an authority reads: agent, time, subject (`docs/format/capsule.md`, header).

use alloc::string::String;

use counterfoil_types::document::{self, Fault};
use counterfoil_types::json::{Limits, admit};
use counterfoil_types::{Blake3Hash, DidKey, WorldId, calendar};
use serde::Deserialize;

use crate::digest::header_hash;
use crate::entry::Entry;
use crate::refusal::Refusal;

/// Members whose form is not checked here: those of the place in the chain.
const PASSED_OVER: &[&str] = &["delta", "id", "mutation", "previous"];

/// Agent, time and subject of a capsule. Its place in the chain is not checked.
pub(crate) struct OpenedHeader {
    pub(crate) agent: DidKey,
    pub(crate) seq: u64,
    pub(crate) timestamp_us: u64,
    pub(crate) kind: Option<String>,
    pub(crate) world: Option<WorldId>,
    /// Tag of the line of a claim unit, or that of records of trust.
    pub(crate) line: Option<Blake3Hash>,
    /// Number of the agent's signing key; 0 is the key that the agent is named after.
    pub(crate) key_number: u64,
    /// Address of the content, and its length in bytes.
    pub(crate) payload: (Blake3Hash, u64),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    agent: DidKey,
    #[serde(rename = "chain")]
    _chain: String,
    #[serde(default)]
    ext: Extensions,
    payload: Payload,
    seq: u64,
    timestamp: String,
    r#type: String,
    version: String,
    world: Option<WorldId>,
}

#[derive(Deserialize, Default)]
struct Extensions {
    kind: Option<String>,
    key: Option<u64>,
    line: Option<Blake3Hash>,
    observed: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Payload {
    hash: Blake3Hash,
    #[serde(rename = "media_type")]
    _media_type: Option<String>,
    size: u64,
}

impl OpenedHeader {
    /// Reads a header in its canonical form, at most 4 KiB, without unknown members.
    pub(crate) fn parse(canonical: &str) -> Result<Self, Refusal> {
        let value = admit(canonical.as_bytes(), Limits::HEADER).map_err(Refusal::CapsuleHeader)?;
        let members: Members = document::read_without(&value, PASSED_OVER)
            .map_err(|fault: Fault| fault.under("/header"))?;
        if members.r#type != "memory_capsule" || members.version != "1" {
            return Err(Fault::new("/header/type", "a memory capsule of version 1").into());
        }
        let (time, member) = match &members.ext.observed {
            Some(observed) => (observed, "/header/ext/observed"),
            None => (&members.timestamp, "/header/timestamp"),
        };
        let timestamp_us = calendar::timestamp(time)
            .ok_or_else(|| Fault::new(member, "YYYY-MM-DDTHH:MM:SS.ffffffZ"))?;
        Ok(Self {
            agent: members.agent,
            seq: members.seq,
            timestamp_us,
            kind: members.ext.kind,
            world: members.world,
            line: members.ext.line,
            key_number: members.ext.key.unwrap_or(0),
            payload: (members.payload.hash, members.payload.size),
        })
    }

    /// Checks that this is the header `canonical` which the entry names, of the same World and content.
    pub(crate) fn is_named_by(&self, canonical: &str, entry: &Entry) -> Result<(), Refusal> {
        if header_hash(canonical.as_bytes()) != entry.capsule {
            return Err(Refusal::HeaderChanged);
        }
        let same_payload = self.payload == (entry.content, entry.content_size);
        if self.world.as_ref() != Some(&entry.world) || !same_payload {
            return Err(Refusal::HeaderOfAnother);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use counterfoil_types::Sha256Hash;

    use super::*;

    #[test]
    fn the_tag_of_a_line_is_read() {
        let tag = Blake3Hash::from_bytes([8; 32]);
        let header = |ext: &str| {
            format!(
                r#"{{"agent":"did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp","chain":"c",{ext}"payload":{{"hash":"{tag}","size":1}},"seq":0,"timestamp":"2026-01-01T00:00:00.000000Z","type":"memory_capsule","version":"1","world":"w"}}"#
            )
        };
        let line = |ext: &str| OpenedHeader::parse(&header(ext)).map(|it| it.line).ok();
        let given = format!(r#""ext":{{"kind":"claim","line":"{tag}"}},"#);
        assert_eq!(line(&given), Some(Some(tag)));
        assert_eq!(line(r#""ext":{"kind":"claim"},"#), Some(None));
        assert_eq!(line(""), Some(None));
        assert_eq!(line(r#""ext":{"kind":"claim","line":"blake3:08"},"#), None);
    }

    #[test]
    fn a_header_is_of_one_world_and_one_content() {
        let content = Blake3Hash::from_bytes([7; 32]);
        let header = |world: &str, size| {
            format!(
                r#"{{"agent":"did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp","chain":"c","payload":{{"hash":"{content}","size":{size}}},"seq":0,"timestamp":"2026-01-01T00:00:00.000000Z","type":"memory_capsule","version":"1","world":"{world}"}}"#
            )
        };
        for (world, size, named) in [
            ("w1", 5, Ok(())),
            ("w2", 5, Err(Refusal::HeaderOfAnother)),
            ("w1", 6, Err(Refusal::HeaderOfAnother)),
        ] {
            let canonical = header(world, size);
            let entry = Entry {
                world: WorldId::new("w1").unwrap(),
                capsule: header_hash(canonical.as_bytes()),
                content,
                content_size: 5,
                field_root: Sha256Hash::from_bytes([0; 32]),
                field_count: 1,
            };
            let parsed = OpenedHeader::parse(&canonical).unwrap();
            assert_eq!(
                parsed.is_named_by(&canonical, &entry),
                named,
                "{world} {size}"
            );
            let other = header("w3", 5);
            let changed = parsed.is_named_by(&other, &entry);
            assert_eq!(changed, Err(Refusal::HeaderChanged));
        }
    }
}
