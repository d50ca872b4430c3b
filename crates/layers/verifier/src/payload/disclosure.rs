//! Member `disclosed` of a proof: fields of the content, and the hashes that lead from them to the field root.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::Sha256Hash;
use counterfoil_types::json::Value;
use serde_json::json;

use super::reader::{Object, Reader};
use crate::field::{SALT_BYTES, is_pointer};
use crate::refusal::Refusal;
use crate::text::{base64_array, to_base64};

/// Fields of a content, under one multi-proof over its field tree (`docs/format/proof.md` §4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisclosurePayload {
    /// The fields, in the order of the tree; at least one.
    pub fields: Vec<DisclosedField>,
    /// Roots of the largest subtrees without a disclosed field, from left to right.
    pub hashes: Vec<Sha256Hash>,
}

/// One field of a content, as its leaf is hashed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisclosedField {
    /// Index of the leaf, from 0.
    pub index: u64,
    /// JSON pointer of the field.
    pub path: String,
    /// The field's salt.
    pub salt: [u8; SALT_BYTES],
    /// Canonical JSON of the field's value.
    pub value: String,
}

impl DisclosurePayload {
    /// Writes `{"fields":[{"index","path","salt","value"}],"hashes":["<base64>"]}`.
    pub(crate) fn to_value(&self) -> Value {
        let fields = self.fields.iter().map(|field| {
            let (index, salt) = (field.index.to_string(), to_base64(&field.salt));
            json!({"index": index, "path": field.path, "salt": salt, "value": field.value})
        });
        let hashes = self.hashes.iter().map(|hash| to_base64(hash.as_bytes()));
        json!({"fields": fields.collect::<Vec<_>>(), "hashes": hashes.collect::<Vec<_>>()})
    }

    /// Reads the member; a proof without it discloses nothing.
    pub(super) fn read(reader: &mut Reader, data: Object<'_>) -> Result<Option<Self>, Refusal> {
        let Some(value) = data.get("disclosed") else {
            return Ok(None);
        };
        let disclosed = Object::closed("disclosed", value, &["fields", "hashes"])?;
        let fields = disclosed.array("fields", "disclosed.fields")?;
        let hashes = disclosed.array("hashes", "disclosed.hashes")?;
        if fields.is_empty() {
            return Err(Refusal::WrongType {
                place: "disclosed.fields",
                expected: "an array of at least one field",
            });
        }
        Ok(Some(Self {
            fields: fields
                .iter()
                .map(|value| DisclosedField::read(reader, value))
                .collect::<Result<_, _>>()?,
            hashes: hashes
                .iter()
                .map(|hash| reader.base64_hash(hash, "disclosed.hashes[]"))
                .collect::<Result<_, _>>()?,
        }))
    }
}

impl DisclosedField {
    fn read(reader: &mut Reader, value: &Value) -> Result<Self, Refusal> {
        let names = ["index", "path", "salt", "value"];
        let field = Object::closed("disclosed.fields[]", value, &names)?;
        let misspelled = |place, expected| Refusal::Misspelled { place, expected };
        let index = reader.decimal(field, "index", "disclosed.fields[].index")?;
        let path = reader.text(field, "path", "disclosed.fields[].path")?;
        if !is_pointer(path) {
            let expected = "a JSON pointer (RFC 6901)";
            return Err(misspelled("disclosed.fields[].path", expected));
        }
        let salt = reader.text(field, "salt", "disclosed.fields[].salt")?;
        let salt = base64_array(salt);
        let salt =
            salt.ok_or_else(|| misspelled("disclosed.fields[].salt", "16 bytes in base64"))?;
        let value = reader.text(field, "value", "disclosed.fields[].value")?;
        Ok(Self {
            index,
            path: path.into(),
            salt,
            value: value.into(),
        })
    }
}
