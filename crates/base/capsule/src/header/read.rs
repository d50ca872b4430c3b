//! Reads a header: canonical bytes, known version, closed members, in that order (capsules 4.1, 4.8).

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::str::FromStr;

use counterfoil_types::document::{Fault, FormError};
use counterfoil_types::json::{self, Limits, Map, Value};
use counterfoil_types::{Blake3Hash, DidKey, MAX_SAFE_INTEGER, WorldId};

use super::body::{BodyRef, LABEL, is_label};
use crate::digest::header_hash;
use crate::error::CapsuleError;
use crate::extensions::{Extensions, key_number};
use crate::id::{CapsuleId, ChainId};
use crate::timestamp::Timestamp;

const WHAT: &str = "header";
const TYPE: &str = "memory_capsule";
const VERSION: &str = "1";

/// All members of a header, in the order of their names.
const HEADER_MEMBERS: [&str; 13] = [
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

/// The most bytes of a header without its signature: with `,"signature":"<88>"` it is 4 KiB.
const MAX_HEADER: usize = Limits::HEADER.bytes - 103;
/// The most bytes of a payload: 1 MiB.
const MAX_PAYLOAD: u64 = 1 << 20;
/// The most bytes of a delta: 256 KiB.
const MAX_DELTA: u64 = 256 << 10;

/// A header whose members are each what they must be; how they fit one another is not checked yet.
///
/// It exists so that the signature can be checked between the two, as the order of checks wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unlinked {
    pub(crate) agent: DidKey,
    pub(crate) id: CapsuleId,
    pub(crate) chain: ChainId,
    pub(crate) seq: u64,
    pub(crate) previous: Option<Blake3Hash>,
    pub(crate) delta: Option<BodyRef>,
    pub(crate) mutation: Option<Blake3Hash>,
    pub(crate) payload: BodyRef,
    pub(crate) timestamp: Timestamp,
    pub(crate) world: Option<WorldId>,
    pub(crate) ext: Map,
    /// The canonical text, and the hash of it.
    pub(crate) text: String,
    pub(crate) hash: Blake3Hash,
}

impl Unlinked {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, CapsuleError> {
        let value = json::admit(bytes, Limits::HEADER)
            .map_err(|source| CapsuleError::Json { what: WHAT, source })?;
        let text = String::from_utf8_lossy(bytes).into_owned();
        Self::from_canonical(&value, text)
    }

    /// `text` is the canonical form of `value`.
    pub(crate) fn from_canonical(value: &Value, text: String) -> Result<Self, CapsuleError> {
        known_version(value)?;
        let members = Members::closed(WHAT, value, &HEADER_MEMBERS)?;
        let agent = members.text("agent")?;
        let header = Self {
            id: members.text("id")?.parse()?,
            chain: members.text("chain")?.parse()?,
            seq: seq(members)?,
            previous: hash_or_null(members, "previous")?,
            delta: delta(members)?,
            mutation: hash_or_null(members, "mutation")?,
            payload: payload(members)?,
            timestamp: members.text("timestamp")?.parse()?,
            world: members.optional("world").map(world).transpose()?,
            ext: ext(members)?,
            hash: header_hash(text.as_bytes()),
            text,
            agent: DidKey::from_str(agent)?,
        };
        if let Some(observed) = header.ext.get("observed") {
            let observed = observed.as_str().and_then(|text| text.parse().ok());
            if observed.is_none_or(|observed: Timestamp| observed >= header.timestamp) {
                let must = "absent, or a timestamp before that of the header";
                return Err(members.wrong("ext.observed", must));
            }
        }
        if header.world.is_none()
            && matches!(header.kind(), super::Kind::World | super::Kind::Claim)
        {
            return Err(members.wrong("world", "there, or ext.kind name another kind"));
        }
        if header.world.is_some() && matches!(header.kind(), super::Kind::Record(_)) {
            return Err(members.wrong("world", "absent: a record is of no World"));
        }
        header.within_limits()
    }

    /// Sizes that a header may have and may name.
    pub(super) fn within_limits(self) -> Result<Self, CapsuleError> {
        let (found, limit) = (self.text.len(), MAX_HEADER);
        if found > limit {
            return Err(CapsuleError::HeaderTooLarge { found, limit });
        }
        within("payload", self.payload.size, MAX_PAYLOAD)?;
        within(
            "delta",
            self.delta.as_ref().map_or(0, BodyRef::size),
            MAX_DELTA,
        )?;
        Ok(self)
    }
}

fn within(member: &'static str, found: u64, limit: u64) -> Result<(), CapsuleError> {
    if found > limit {
        return Err(CapsuleError::BodyTooLarge {
            member,
            found,
            limit,
        });
    }
    Ok(())
}

/// Before anything else is read: a later version may have other members.
fn known_version(value: &Value) -> Result<(), CapsuleError> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    match (text("type"), text("version")) {
        (Some(TYPE), Some(VERSION)) => Ok(()),
        (Some(TYPE), Some(found)) => Err(CapsuleError::Version {
            what: WHAT,
            found: found.chars().take(32).collect(),
        }),
        (Some(TYPE), None) => Err(CapsuleError::at(WHAT, "/version", "a string")),
        _ => Err(CapsuleError::at(WHAT, "/type", "\"memory_capsule\"")),
    }
}

fn seq(members: Members<'_>) -> Result<u64, CapsuleError> {
    let must = "an integer from 0 to 9007199254740991";
    let seq = members
        .required("seq", must)?
        .as_u64()
        .filter(|seq| *seq <= MAX_SAFE_INTEGER);
    seq.ok_or_else(|| members.wrong("seq", must))
}

fn hash_or_null(
    members: Members<'_>,
    member: &'static str,
) -> Result<Option<Blake3Hash>, CapsuleError> {
    match members.required(member, "a digest or null")? {
        Value::Null => Ok(None),
        value => hash(value, members, member).map(Some),
    }
}

fn hash(
    value: &Value,
    members: Members<'_>,
    member: &'static str,
) -> Result<Blake3Hash, CapsuleError> {
    let must = "blake3: and 64 lower-case hexadecimal digits";
    let text = value.as_str().ok_or_else(|| members.wrong(member, must))?;
    text.parse().map_err(|error| match error {
        FormError::Algorithm { .. } if names_an_algorithm(text) => {
            CapsuleError::Algorithm { member }
        }
        _ => members.wrong(member, must),
    })
}

/// `<lower-case letters, digits, hyphens>:<lower-case hexadecimal>`: a digest, but not one of ours.
fn names_an_algorithm(text: &str) -> bool {
    let name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let digit = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    text.split_once(':').is_some_and(|(algorithm, digits)| {
        !algorithm.is_empty() && algorithm.chars().all(name) && digits.chars().all(digit)
    })
}

fn payload(members: Members<'_>) -> Result<BodyRef, CapsuleError> {
    let value = members.required("payload", "an object")?;
    body(
        value,
        "payload",
        &["hash", "media_type", "size"],
        "media_type",
    )
}

fn delta(members: Members<'_>) -> Result<Option<BodyRef>, CapsuleError> {
    match members.required("delta", "an object or null")? {
        Value::Null => Ok(None),
        value => body(value, "delta", &["format", "hash", "size"], "format").map(Some),
    }
}

fn body(
    value: &Value,
    what: &'static str,
    known: &[&str],
    label: &'static str,
) -> Result<BodyRef, CapsuleError> {
    let members = Members::closed(what, value, known)?;
    let must = "an integer from 0 to 9007199254740991";
    let size = members.required("size", must)?.as_u64();
    let label = match members.optional(label) {
        None => None,
        Some(Value::String(text)) if is_label(text) => Some(text.to_owned()),
        Some(_) => return Err(members.wrong(label, LABEL)),
    };
    Ok(BodyRef {
        hash: hash(members.required("hash", "a digest")?, members, "hash")?,
        size: size.ok_or_else(|| members.wrong("size", must))?,
        label,
    })
}

fn world(value: &Value) -> Result<WorldId, CapsuleError> {
    let must = "a WorldId of 1 to 1024 bytes";
    WorldId::try_from(value.clone()).map_err(|_| CapsuleError::at(WHAT, "/world", must))
}

/// Extensions are free, but for those that this version gives a meaning to.
fn ext(members: Members<'_>) -> Result<Map, CapsuleError> {
    let Some(value) = members.optional("ext") else {
        return Ok(Map::new());
    };
    let must = "an object with at least one member; leave it out when it is empty";
    let ext = value.as_object().filter(|ext| !ext.is_empty());
    let ext = ext.ok_or_else(|| members.wrong("ext", must))?;
    if ext.get("clock").is_some_and(|clock| clock != "held") {
        return Err(members.wrong("ext.clock", "\"held\" or absent"));
    }
    let other_kind = |kind: &Value| {
        kind.as_str()
            .is_some_and(|kind| is_label(kind) && kind != "world")
    };
    if !ext.get("kind").is_none_or(other_kind) {
        return Err(members.wrong(
            "ext.kind",
            "absent for a World, or the name of another kind",
        ));
    }
    let meant = Extensions::read(ext).map(drop).and(key_number(ext));
    meant.map_err(|(member, must)| members.wrong(member, must))?;
    Ok(ext.clone())
}

/// The members of one object of the document `what`.
#[derive(Clone, Copy)]
struct Members<'a> {
    what: &'static str,
    members: &'a Map,
}

impl<'a> Members<'a> {
    /// An object whose members are all among `known`.
    fn closed(what: &'static str, value: &'a Value, known: &[&str]) -> Result<Self, CapsuleError> {
        let object = value.as_object();
        let members = object.ok_or_else(|| CapsuleError::at(what, "", "an object"))?;
        match members.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(CapsuleError::document(what, Fault::unknown(name))),
            None => Ok(Self { what, members }),
        }
    }

    fn optional(self, name: &str) -> Option<&'a Value> {
        self.members.get(name)
    }

    fn required(self, member: &'static str, must: &'static str) -> Result<&'a Value, CapsuleError> {
        self.optional(member)
            .ok_or_else(|| self.wrong(member, must))
    }

    fn text(self, member: &'static str) -> Result<&'a str, CapsuleError> {
        let must = "a string";
        self.required(member, must)?
            .as_str()
            .ok_or_else(|| self.wrong(member, must))
    }

    fn wrong(self, member: &'static str, must: &'static str) -> CapsuleError {
        CapsuleError::at(
            self.what,
            &alloc::format!("/{}", member.replace('.', "/")),
            must,
        )
    }
}
