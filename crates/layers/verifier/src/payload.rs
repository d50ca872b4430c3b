//! Proof data on the wire (`docs/format/proof.md` §4): closed members, read and written here alone.
//!
//! A prover writes what this module writes and a verifier reads what this module reads, so the
//! two halves can't drift apart. Holding a payload proves nothing.

pub(crate) mod reader;
mod signature;

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::json::{Map, Value};
use counterfoil_types::{Sha256Hash, VerificationMethod, VerificationProof};
use serde_json::json;

use self::reader::{Object, Reader};
pub use self::signature::{EntrySignature, hash_payload, signature_payload};
pub(crate) use self::signature::{hash_entry, signed_entry};
use crate::consistency::Consistency;
use crate::entry::Entry;
use crate::field::{SALT_BYTES, is_pointer};
use crate::inclusion::Side;
use crate::limits::{MAX_CONSISTENCY_HASHES, MAX_INCLUSION_HASHES};
use crate::refusal::Refusal;
use crate::text::{base64_array, to_base64};
use crate::tlog_proof::TlogProof;

/// Data of a proof of method `merkle`, as read.
pub(crate) struct MerklePayload<'a> {
    /// The field root that `prove` recomputed from the content, by the proof's own word.
    pub(crate) computed_root: Sha256Hash,
    /// The field root in the entry, by the proof's own word.
    pub(crate) expected_root: Sha256Hash,
    /// The entry's text.
    pub(crate) entry: &'a str,
    /// The C2SP log proof.
    pub(crate) tlog_proof: &'a str,
    pub(crate) disclosure: Option<DisclosurePayload>,
    pub(crate) consistency: Option<Consistency>,
}

/// `pathProof` and `disclosed`: one field and its path in the field tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisclosurePayload {
    /// The field's leaf.
    pub leaf_hash: Sha256Hash,
    /// Siblings from the leaf up, each with the side on which it claims to be hashed.
    pub siblings: Vec<(Sha256Hash, Side)>,
    /// Index of the leaf, from 0.
    pub index: u64,
    /// JSON pointer of the field.
    pub path: String,
    /// The field's salt.
    pub salt: [u8; SALT_BYTES],
    /// Canonical JSON of the field's value.
    pub value: String,
}

/// Writes the data of a proof of method `merkle`: an entry under its log proof, one disclosed field, and the consistency
/// proof from the floor that the authority asked for.
///
/// `entry` must be that of the content, field root included: the proof says of both roots that they are its field root.
pub fn merkle_payload(
    entry: &Entry,
    proof: &TlogProof,
    disclosure: Option<&DisclosurePayload>,
    consistency: Option<&Consistency>,
) -> Value {
    let root = entry.field_root;
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| members.insert(name.into(), value);
    put("computedRoot", json!(root));
    put("expectedRoot", json!(root));
    put("entry", entry.to_text().into());
    put("tlogProof", proof.to_text().into());
    if let Some(field) = disclosure {
        let sibling =
            |(hash, side): &(Sha256Hash, Side)| json!({"hash": hash.to_hex(), "position": side});
        let siblings: Vec<Value> = field.siblings.iter().map(sibling).collect();
        let leaf_hash = field.leaf_hash.to_hex();
        put(
            "pathProof",
            json!({"leafHash": leaf_hash, "siblings": siblings}),
        );
        let (index, salt) = (field.index.to_string(), to_base64(&field.salt));
        put(
            "disclosed",
            json!({"index": index, "path": field.path, "salt": salt, "value": field.value}),
        );
    }
    if let Some(consistency) = consistency {
        put("consistency", json!(consistency));
    }
    Value::Object(members)
}

impl<'a> MerklePayload<'a> {
    /// Steps 1 and 2: limits, exact members, each in its one spelling.
    pub(crate) fn read(proof: &'a VerificationProof) -> Result<Self, Refusal> {
        let mut reader = Reader::new();
        let data = reader.data(
            proof,
            &VerificationMethod::Merkle,
            &[
                "computedRoot",
                "expectedRoot",
                "entry",
                "tlogProof",
                "pathProof",
                "disclosed",
                "consistency",
            ],
        )?;
        Ok(Self {
            entry: reader.text(data, "entry", "entry")?,
            tlog_proof: reader.text(data, "tlogProof", "tlogProof")?,
            computed_root: reader.root(data, "computedRoot")?,
            expected_root: reader.root(data, "expectedRoot")?,
            disclosure: match (data.get("pathProof"), data.get("disclosed")) {
                (None, None) => None,
                (Some(path), Some(disclosed)) => {
                    Some(DisclosurePayload::read(&mut reader, path, disclosed)?)
                }
                _ => return Err(Refusal::HalfDisclosure),
            },
            consistency: match data.get("consistency") {
                None => None,
                Some(value) => Some(Consistency::read(&mut reader, value)?),
            },
        })
    }
}

impl DisclosurePayload {
    fn read(reader: &mut Reader, path_proof: &Value, disclosed: &Value) -> Result<Self, Refusal> {
        let path_proof = Object::closed("pathProof", path_proof, &["leafHash", "siblings"])?;
        let disclosed =
            Object::closed("disclosed", disclosed, &["index", "path", "salt", "value"])?;
        let siblings = path_proof.array("siblings", "pathProof.siblings")?;
        if siblings.len() > MAX_INCLUSION_HASHES {
            return Err(Refusal::too_much(
                "hashes in an inclusion path",
                MAX_INCLUSION_HASHES,
            ));
        }
        Ok(Self {
            leaf_hash: reader.hex(path_proof, "leafHash", "pathProof.leafHash")?,
            siblings: siblings
                .iter()
                .map(|value| sibling(reader, value))
                .collect::<Result<_, _>>()?,
            index: reader.decimal(disclosed, "index", "disclosed.index")?,
            path: Some(reader.text(disclosed, "path", "disclosed.path")?)
                .filter(|path| is_pointer(path))
                .map(ToString::to_string)
                .ok_or(Refusal::Misspelled {
                    place: "disclosed.path",
                    expected: "a JSON pointer (RFC 6901)",
                })?,
            salt: base64_array(reader.text(disclosed, "salt", "disclosed.salt")?).ok_or(
                Refusal::Misspelled {
                    place: "disclosed.salt",
                    expected: "16 bytes in base64",
                },
            )?,
            value: reader.text(disclosed, "value", "disclosed.value")?.into(),
        })
    }
}

fn sibling(reader: &mut Reader, value: &Value) -> Result<(Sha256Hash, Side), Refusal> {
    let sibling = Object::closed("pathProof.siblings[]", value, &["hash", "position"])?;
    let position = reader.text(sibling, "position", "pathProof.siblings[].position")?;
    let hash = reader.hex(sibling, "hash", "pathProof.siblings[].hash")?;
    let side = position.parse().map_err(|_| Refusal::Misspelled {
        place: "pathProof.siblings[].position",
        expected: "left or right",
    })?;
    Ok((hash, side))
}

impl From<Consistency> for Value {
    /// Writes `{"from":"700","hashes":["<base64>"]}`.
    fn from(consistency: Consistency) -> Self {
        let hashes = consistency.hashes.iter();
        let hashes: Vec<_> = hashes.map(|hash| to_base64(hash.as_bytes())).collect();
        json!({"from": consistency.from.to_string(), "hashes": hashes})
    }
}

impl TryFrom<Value> for Consistency {
    type Error = &'static str;

    fn try_from(value: Value) -> Result<Self, &'static str> {
        Self::read(&mut Reader::new(), &value).map_err(
            |_| "a consistency proof: from as a decimal string, at most 65 hashes in base64",
        )
    }
}

impl Consistency {
    fn read(reader: &mut Reader, value: &Value) -> Result<Self, Refusal> {
        let consistency = Object::closed("consistency", value, &["from", "hashes"])?;
        let hashes = consistency.array("hashes", "consistency.hashes")?;
        if hashes.len() > MAX_CONSISTENCY_HASHES {
            return Err(Refusal::too_much(
                "hashes in a consistency proof",
                MAX_CONSISTENCY_HASHES,
            ));
        }
        Ok(Self {
            from: reader.decimal(consistency, "from", "consistency.from")?,
            hashes: hashes
                .iter()
                .map(|hash| reader.base64_hash(hash, "consistency.hashes[]"))
                .collect::<Result<_, _>>()?,
        })
    }
}
