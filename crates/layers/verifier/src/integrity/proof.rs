//! One proof of a document: its closed members, and the bytes that are hashed for its signature (vc-di-eddsa §3.3).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use counterfoil_types::json::{self, Map, Value};
use counterfoil_types::{DidKey, text_form};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Created, ProofError};

pub(super) const TYPE: &str = "DataIntegrityProof";
pub(super) const SUITE: &str = "eddsa-jcs-2022";
/// 64 bytes are at most 88 letters in base58; longer texts are not decoded at all.
const MAX_BASE58: usize = 88;

counterfoil_types::words! {
    /// Purpose of a proof. A proof for one purpose is none for another.
    #[non_exhaustive]
    pub enum Purpose {
        /// The signer says that the document holds.
        Assertion = "assertionMethod",
        /// The signer proves to be present, as in a request.
        Authentication = "authentication",
    }
}

/// The one key of a `did:key` document: `did:key:z6Mk…#z6Mk…`.
pub fn verification_method(key: &DidKey) -> String {
    let did = format!("{key}");
    let fragment = did.strip_prefix("did:key:").unwrap_or_default();
    format!("{did}#{fragment}")
}

/// One proof, as it is written and read; its signature is not checked by reading it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Proof {
    #[serde(rename = "@context", skip_serializing_if = "Option::is_none")]
    pub(super) context: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) challenge: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) created: Option<Created>,
    pub(super) cryptosuite: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) domain: Option<String>,
    pub(super) proof_purpose: String,
    /// `None` while it is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) proof_value: Option<SignatureText>,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) verification_method: String,
}

/// A signature as `z` and base58btc of 64 bytes. Base58 has one spelling for a sequence of bytes: each letter `1` in
/// front is a byte 0, and the rest is one number without leading zeros.
pub(super) struct SignatureText(pub(super) [u8; 64]);

impl fmt::Display for SignatureText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "z{}", bs58::encode(self.0).into_string())
    }
}

text_form! {
    SignatureText: "z and 64 bytes in base58btc", = |text| {
        let digits = text.strip_prefix('z').filter(|it| it.len() <= MAX_BASE58)?;
        bs58::decode(digits).into_vec().ok()?.try_into().ok().map(Self)
    };
}

/// `SHA-256(JCS(configuration without proofValue)) || SHA-256(JCS(document))`.
pub(super) fn signed_bytes(
    configuration: &Map,
    document: &[u8; 32],
) -> Result<Vec<u8>, ProofError> {
    Ok([digest_without(configuration, "proofValue")?, *document].concat())
}

/// `SHA-256(JCS(object without the member))`.
pub(super) fn digest_without(object: &Map, member: &str) -> Result<[u8; 32], ProofError> {
    let (canonical, place) = json::canonical_around(object, member)?;
    Ok(digest_outside(&canonical, place))
}

/// SHA-256 of a canonical form without the bytes in `place`.
pub(super) fn digest_outside(canonical: &str, place: Option<Range<usize>>) -> [u8; 32] {
    let place = place.unwrap_or(0..0);
    let (before, after) = (canonical.get(..place.start), canonical.get(place.end..));
    let digest = Sha256::new().chain_update(before.unwrap_or_default());
    digest
        .chain_update(after.unwrap_or_default())
        .finalize()
        .into()
}
