//! Data of the methods `signature` and `hash`: the entry, the key that signed it, and disclosed fields.

use counterfoil_types::json::Value;
use counterfoil_types::{VerificationMethod, VerificationProof, document};
use ed25519_dalek::{Signature, VerifyingKey};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::disclosure::DisclosurePayload;
use super::reader::Reader;
use crate::fingerprint::KeyFingerprint;
use crate::refusal::Refusal;
use crate::text::{base64_array, to_base64};

/// The signature of an agent over an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct EntrySignature {
    /// Fingerprint of the signing key; a proof may not hold the agent itself (M-8).
    pub key_id: KeyFingerprint,
    /// The 64 bytes of an Ed25519 signature over the entry's text.
    #[serde(with = "document::base64")]
    pub value: [u8; 64],
}

impl EntrySignature {
    pub(crate) fn check(&self, key: &VerifyingKey, entry: &str) -> Result<(), Refusal> {
        let key_id = self.key_id.digest();
        key.verify_strict(entry.as_bytes(), &Signature::from_bytes(&self.value))
            .map_err(|_| Refusal::AgentSignatureInvalid { key_id })
    }
}

/// The text of an entry, and the fields that are disclosed with it.
type Entry<'a> = (&'a str, Option<DisclosurePayload>);

/// Writes the data of a proof of method `signature`: the text of the entry, its signature, and disclosed fields.
pub fn signature_payload(
    entry: &str,
    signature: &EntrySignature,
    disclosure: Option<&DisclosurePayload>,
) -> Value {
    let value = to_base64(&signature.value);
    let data = json!({"entry": entry, "keyId": signature.key_id, "signature": value});
    with_disclosure(data, disclosure)
}

/// Reads the entry and the signature of a proof of method `signature`.
pub(crate) fn signed_entry(
    proof: &VerificationProof,
) -> Result<(Entry<'_>, EntrySignature), Refusal> {
    let mut reader = Reader::new();
    let names = ["entry", "keyId", "signature", "disclosed"];
    let data = reader.data(proof, &VerificationMethod::Signature, &names)?;
    let entry = reader.text(data, "entry", "entry")?;
    let key_id = reader.text(data, "keyId", "keyId")?;
    let value = reader.text(data, "signature", "signature")?;
    let signature = EntrySignature {
        key_id: key_id.parse().map_err(|_| Refusal::Misspelled {
            place: "keyId",
            expected: "64 lower-case hexadecimal digits",
        })?,
        value: base64_array(value).ok_or(Refusal::Misspelled {
            place: "signature",
            expected: "64 bytes in base64",
        })?,
    };
    let disclosure = DisclosurePayload::read(&mut reader, data)?;
    Ok(((entry, disclosure), signature))
}

/// Writes the data of a proof of method `hash`: the text of the entry, whose content `prove` has hashed, and disclosed fields.
pub fn hash_payload(entry: &str, disclosure: Option<&DisclosurePayload>) -> Value {
    with_disclosure(json!({"entry": entry}), disclosure)
}

/// Reads the entry of a proof of method `hash`.
pub(crate) fn hash_entry(proof: &VerificationProof) -> Result<Entry<'_>, Refusal> {
    let mut reader = Reader::new();
    let data = reader.data(proof, &VerificationMethod::Hash, &["entry", "disclosed"])?;
    let entry = reader.text(data, "entry", "entry")?;
    Ok((entry, DisclosurePayload::read(&mut reader, data)?))
}

fn with_disclosure(mut data: Value, disclosure: Option<&DisclosurePayload>) -> Value {
    if let (Some(disclosure), Some(members)) = (disclosure, data.as_object_mut()) {
        members.insert("disclosed".into(), disclosure.to_value());
    }
    data
}
