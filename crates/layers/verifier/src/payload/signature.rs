//! Data of the methods `signature` and `hash`: the entry, and who signed it.

use counterfoil_types::json::{Map, Value};
use counterfoil_types::{VerificationMethod, VerificationProof};

use super::reader::Reader;
use crate::fingerprint::KeyFingerprint;
use crate::refusal::Refusal;
use crate::text::{base64_array, to_base64};

/// Data of a proof of method `signature`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignaturePayload<'a> {
    /// The entry's text.
    pub entry: &'a str,
    /// Which key signed; the agent itself may not stand in a proof (M-8).
    pub key_id: KeyFingerprint,
    /// The agent's Ed25519 signature over the entry's text.
    pub signature: [u8; 64],
}

impl SignaturePayload<'_> {
    /// Writes the data of a [`VerificationProof`].
    pub fn to_value(&self) -> Value {
        let mut members = Map::new();
        members.insert("entry".into(), self.entry.into());
        members.insert("keyId".into(), self.key_id.to_hex().into());
        members.insert("signature".into(), to_base64(&self.signature).into());
        Value::Object(members)
    }
}

impl<'a> SignaturePayload<'a> {
    pub(crate) fn read(proof: &'a VerificationProof) -> Result<Self, Refusal> {
        let mut reader = Reader::new();
        let names = ["entry", "keyId", "signature"];
        let data = reader.data(proof, &VerificationMethod::Signature, &names)?;
        let entry = reader.text(data, "entry", "entry")?;
        let key_id = reader.text(data, "keyId", "keyId")?;
        let signature = reader.text(data, "signature", "signature")?;
        Ok(Self {
            entry,
            key_id: key_id.parse().map_err(|_| Refusal::Misspelled {
                place: "keyId",
                expected: "64 lower-case hexadecimal digits",
            })?,
            signature: base64_array(signature).ok_or(Refusal::Misspelled {
                place: "signature",
                expected: "64 bytes in base64",
            })?,
        })
    }
}

/// Data of a proof of method `hash`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HashPayload<'a> {
    /// The entry's text, of which `prove` has recomputed the content's digest.
    pub entry: &'a str,
}

impl HashPayload<'_> {
    /// Writes the data of a [`VerificationProof`].
    pub fn to_value(&self) -> Value {
        let mut members = Map::new();
        members.insert("entry".into(), self.entry.into());
        Value::Object(members)
    }
}

impl<'a> HashPayload<'a> {
    pub(crate) fn read(proof: &'a VerificationProof) -> Result<Self, Refusal> {
        let mut reader = Reader::new();
        let data = reader.data(proof, &VerificationMethod::Hash, &["entry"])?;
        let entry = reader.text(data, "entry", "entry")?;
        Ok(Self { entry })
    }
}
