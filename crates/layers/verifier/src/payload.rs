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
pub(crate) use self::signature::hash_entry;
pub use self::signature::{SignaturePayload, hash_payload};
use crate::consistency::Consistency;
use crate::field::{SALT_BYTES, is_pointer};
use crate::inclusion::Side;
use crate::limits::{MAX_CONSISTENCY_HASHES, MAX_INCLUSION_HASHES};
use crate::refusal::Refusal;
use crate::text::{base64_array, to_base64};

/// Data of a proof of method `merkle`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MerklePayload<'a> {
    /// The field root that `prove` recomputed from the content.
    pub computed_root: Sha256Hash,
    /// The field root in the entry.
    pub expected_root: Sha256Hash,
    /// The entry's text.
    pub entry: &'a str,
    /// The C2SP log proof.
    pub tlog_proof: &'a str,
    /// One disclosed field.
    pub disclosure: Option<DisclosurePayload>,
    /// From the floor that the authority asked for.
    pub consistency: Option<Consistency>,
}

/// `pathProof` and `disclosed`: one field and its path in the field tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisclosurePayload {
    /// The field's leaf.
    pub leaf_hash: Sha256Hash,
    /// Siblings from the leaf up.
    pub siblings: Vec<Sibling>,
    /// Index of the leaf, from 0.
    pub index: u64,
    /// JSON pointer of the field.
    pub path: String,
    /// The field's salt.
    pub salt: [u8; SALT_BYTES],
    /// Canonical JSON of the field's value.
    pub value: String,
}

/// A sibling of `pathProof`, with the side that it claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sibling {
    /// The sibling's hash.
    pub hash: Sha256Hash,
    /// The side on which it is hashed.
    pub position: Side,
}

impl MerklePayload<'_> {
    /// Writes the data of a [`VerificationProof`].
    pub fn to_value(&self) -> Value {
        let mut members = Map::new();
        let mut put = |name: &str, value: Value| members.insert(name.into(), value);
        put("computedRoot", json!(self.computed_root));
        put("expectedRoot", json!(self.expected_root));
        put("entry", self.entry.into());
        put("tlogProof", self.tlog_proof.into());
        if let Some(field) = &self.disclosure {
            let sibling = |sibling: &Sibling| json!({"hash": sibling.hash.to_hex(), "position": sibling.position});
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
        if let Some(consistency) = &self.consistency {
            put("consistency", json!(consistency));
        }
        Value::Object(members)
    }
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
                .map(|sibling| Sibling::read(reader, sibling))
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

impl Sibling {
    fn read(reader: &mut Reader, value: &Value) -> Result<Self, Refusal> {
        let sibling = Object::closed("pathProof.siblings[]", value, &["hash", "position"])?;
        let position = reader.text(sibling, "position", "pathProof.siblings[].position")?;
        Ok(Self {
            hash: reader.hex(sibling, "hash", "pathProof.siblings[].hash")?,
            position: position.parse().map_err(|_| Refusal::Misspelled {
                place: "pathProof.siblings[].position",
                expected: "left or right",
            })?,
        })
    }
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
