//! An opened record of the log, as `belief.md` §1 discloses records of trust.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use counterfoil_types::document::{self, Fault};
use counterfoil_types::json::{Limits, Value, admit};
use counterfoil_types::{Blake3Hash, DidKey, Sha256Hash};
use serde::{Deserialize, Serialize};

use super::OpenedHeader;
use crate::anchors::Anchors;
use crate::checkpoint::Checkpoint;
use crate::digest::{header_hash, payload_hash};
use crate::fingerprint::KeyFingerprint;
use crate::inclusion;
use crate::merkle::{LOG, leaf_hash};
use crate::payload::EntrySignature;
use crate::refusal::Refusal;
use crate::text::decimal;

/// First line of the entry of a record (`capsule.md`).
const ENTRY: &str = "counterfoil/record/v1";

/// A record of the log as it is disclosed, to be proven under a checkpoint that is trusted already. Its entry is made again from
/// header and fields.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenedRecord {
    /// The canonical header, without signature.
    pub header: String,
    /// The canonical content.
    pub content: String,
    /// The salt of its address.
    #[serde(with = "document::base64")]
    pub salt: [u8; 32],
    /// Root and number of leaves of its field tree, as in its entry.
    pub fields: String,
    /// The signature over the entry.
    pub signature: EntrySignature,
    /// Log index, a decimal.
    pub index: String,
    /// Hashes of the inclusion proof, from the lowest up; on the wire one base64 text.
    #[serde(with = "crate::map::siblings")]
    pub path: Vec<Sha256Hash>,
}

/// Content of a verified record. Made by [`OpenedRecord::open`] only.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RecordContent {
    /// Log index.
    pub index: u64,
    /// Hash of the header, which the entry names.
    pub capsule: Blake3Hash,
    /// The tag under which the map of the log counts it.
    pub tag: Option<Blake3Hash>,
    /// The author.
    pub agent: DidKey,
    /// The key that signed: the agent's, or one that it has rotated to.
    pub key: DidKey,
    /// Time of recording by the author's clock, in microseconds since 1970.
    pub timestamp_us: u64,
    /// Kind of the record.
    pub kind: String,
    /// The content.
    pub content: Value,
}

impl OpenedRecord {
    /// Writes it: closed members, texts as they were hashed.
    pub fn to_value(&self) -> Value {
        document::write(self)
    }

    /// Verifies the record under a checkpoint whose signature was verified, and the agents among the anchors.
    ///
    /// `Ok` guarantees: the log had recorded the entry before the checkpoint, an anchored agent signed it, and header and content
    /// are those that the entry names. As for [`OpenedCapsule::open`](super::OpenedCapsule::open), the key chain is not checked.
    ///
    /// # Errors
    /// The first fault.
    pub fn open(
        &self,
        anchors: &Arc<Anchors>,
        checkpoint: &Checkpoint,
    ) -> Result<RecordContent, Refusal> {
        let header = OpenedHeader::parse(&self.header)?;
        let kind = match (header.kind, header.world) {
            (Some(kind), None) if kind.bytes().all(|it| it.is_ascii_lowercase() || it == b'_') => {
                kind
            }
            _ => return Err(Fault::new("/header/ext/kind", "the kind of a record").into()),
        };
        let parts = self.fields.split_once(' ');
        if !parts.is_some_and(|(root, count)| {
            root.parse::<Sha256Hash>().is_ok() && decimal(count).is_some()
        }) {
            return Err(Fault::new("/fields", "a root and a number").into());
        }
        let (payload, size) = header.payload;
        let bytes = self.content.as_bytes();
        if u64::try_from(bytes.len()) != Ok(size) || payload_hash(&self.salt, bytes) != payload {
            return Err(Refusal::ContentChanged);
        }
        let capsule = header_hash(self.header.as_bytes());
        let fields = &self.fields;
        let entry = format!(
            "{ENTRY}\nkind {kind}\ncapsule {capsule}\ncontent {payload} {size}\nfields {fields}\n"
        );
        let index: u64 =
            decimal(&self.index).ok_or_else(|| Fault::new("/index", "a decimal number"))?;
        let leaf = leaf_hash(entry.as_bytes());
        let computed = inclusion::fold(LOG, index, checkpoint.size(), &leaf, &self.path)?;
        let signed = checkpoint.root();
        if computed != signed {
            return Err(Refusal::NotInLog { computed, signed });
        }
        if header.key_number == 0 && self.signature.key_id != KeyFingerprint::of(&header.agent) {
            return Err(Refusal::KeyOfAnother);
        }
        let key = anchors.agent_key(&self.signature.key_id)?;
        self.signature.check(key, &entry)?;
        let content = admit(bytes, Limits::CONTENT).map_err(Refusal::CapsuleContent)?;
        Ok(RecordContent {
            index,
            capsule,
            tag: header.line,
            agent: header.agent,
            key: DidKey::from_public_key(key.to_bytes()),
            timestamp_us: header.timestamp_us,
            kind,
            content,
        })
    }
}

/// Content and salt stay out of log lines.
impl fmt::Debug for OpenedRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenedRecord")
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}
