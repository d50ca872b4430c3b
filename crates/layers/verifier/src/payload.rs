//! Proof data on the wire (`docs/format/proof.md` §4): closed members, read and written here alone.
//!
//! A prover writes what this module writes and a verifier reads what this module reads, so the
//! two halves can't drift apart. Holding a payload proves nothing.

mod disclosure;
pub(crate) mod reader;
mod signature;

use alloc::string::ToString;
use alloc::vec::Vec;

use counterfoil_types::json::{Map, Value};
use counterfoil_types::{Sha256Hash, VerificationMethod, VerificationProof};
use serde_json::json;

pub use self::disclosure::{DisclosedField, DisclosurePayload};
use self::reader::{Object, Reader};
pub use self::signature::{EntrySignature, hash_payload, signature_payload};
pub(crate) use self::signature::{hash_entry, signed_entry};
use crate::consistency::Consistency;
use crate::entry::Entry;
use crate::refusal::Refusal;
use crate::text::to_base64;
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

/// Writes the data of a proof of method `merkle`: an entry under its log proof, disclosed fields, and the consistency
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
    if let Some(disclosure) = disclosure {
        put("disclosed", disclosure.to_value());
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
                "disclosed",
                "consistency",
            ],
        )?;
        Ok(Self {
            entry: reader.text(data, "entry", "entry")?,
            tlog_proof: reader.text(data, "tlogProof", "tlogProof")?,
            computed_root: reader.root(data, "computedRoot")?,
            expected_root: reader.root(data, "expectedRoot")?,
            disclosure: DisclosurePayload::read(&mut reader, data)?,
            consistency: match data.get("consistency") {
                None => None,
                Some(value) => Some(Consistency::read(&mut reader, value)?),
            },
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
        Ok(Self {
            from: reader.decimal(consistency, "from", "consistency.from")?,
            hashes: hashes
                .iter()
                .map(|hash| reader.base64_hash(hash, "consistency.hashes[]"))
                .collect::<Result<_, _>>()?,
        })
    }
}
