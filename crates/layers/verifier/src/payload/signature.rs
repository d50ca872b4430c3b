//! Data of the methods `signature` and `hash`: the entry, and the key that signed it.

use counterfoil_types::json::Value;
use counterfoil_types::{VerificationMethod, VerificationProof};
use serde_json::json;

use super::reader::Reader;
use crate::fingerprint::KeyFingerprint;
use crate::refusal::Refusal;
use crate::text::{base64_array, to_base64};

/// Data of a proof of method `signature`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignaturePayload<'a> {
    /// The entry's text.
    pub entry: &'a str,
    /// Fingerprint of the signing key; a proof may not hold the agent itself (M-8).
    pub key_id: KeyFingerprint,
    /// The agent's Ed25519 signature over the entry's text.
    pub signature: [u8; 64],
}

impl SignaturePayload<'_> {
    /// Writes the data of a [`VerificationProof`].
    pub fn to_value(&self) -> Value {
        let signature = to_base64(&self.signature);
        json!({"entry": self.entry, "keyId": self.key_id, "signature": signature})
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

/// Writes the data of a proof of method `hash`: the text of the entry, whose content `prove` has hashed.
pub fn hash_payload(entry: &str) -> Value {
    json!({"entry": entry})
}

/// Reads the entry of a proof of method `hash`.
pub(crate) fn hash_entry(proof: &VerificationProof) -> Result<&str, Refusal> {
    let mut reader = Reader::new();
    let data = reader.data(proof, &VerificationMethod::Hash, &["entry"])?;
    reader.text(data, "entry", "entry")
}
