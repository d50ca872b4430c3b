//! One proof of a document: its closed members, and the bytes that are hashed for its signature (vc-di-eddsa §3.3).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use counterfoil_types::DidKey;
use counterfoil_types::json::{self, Map, Value};
use sha2::{Digest, Sha256};

use super::{Created, IntegrityError};

pub(super) const TYPE: &str = "DataIntegrityProof";
pub(super) const SUITE: &str = "eddsa-jcs-2022";
const MEMBERS: [&str; 9] = [
    "@context",
    "challenge",
    "created",
    "cryptosuite",
    "domain",
    "proofPurpose",
    "proofValue",
    "type",
    "verificationMethod",
];
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
#[must_use]
pub fn verification_method(key: &DidKey) -> String {
    let did = format!("{key}");
    let fragment = did.strip_prefix("did:key:").unwrap_or_default();
    format!("{did}#{fragment}")
}

/// One proof whose members are each what they must be. Its signature is not checked yet.
pub(super) struct Proof<'a> {
    members: &'a Map,
    pub(super) purpose: &'a str,
    pub(super) domain: Option<&'a str>,
    pub(super) challenge: Option<&'a str>,
    pub(super) created: Option<Created>,
    pub(super) signature: [u8; 64],
}

impl<'a> Proof<'a> {
    /// Reads one; the type and the suite come first, as other suites may have other members.
    pub(super) fn read(members: &'a Map) -> Result<Self, IntegrityError> {
        if text(members, "type")? != TYPE {
            return Err(IntegrityError::Type);
        }
        let suite = text(members, "cryptosuite")?;
        if suite != SUITE {
            return Err(IntegrityError::UnknownSuite {
                found: suite.chars().take(64).collect(),
            });
        }
        closed(members)?;
        Ok(Self {
            members,
            purpose: text(members, "proofPurpose")?,
            domain: optional(members, "domain")?,
            challenge: optional(members, "challenge")?,
            created: optional(members, "created")?.map(str::parse).transpose()?,
            signature: signature(text(members, "proofValue")?)?,
        })
    }

    pub(super) fn context(&self) -> Option<&'a Value> {
        self.members.get("@context")
    }

    /// Returns the signed bytes, given the hash of the document without its proofs.
    pub(super) fn signed_bytes(&self, document: &[u8; 32]) -> Result<Vec<u8>, IntegrityError> {
        signed_bytes(self.members, document)
    }
}

/// `SHA-256(JCS(configuration without proofValue)) || SHA-256(JCS(document))`.
pub(super) fn signed_bytes(
    configuration: &Map,
    document: &[u8; 32],
) -> Result<Vec<u8>, IntegrityError> {
    Ok([digest_without(configuration, "proofValue")?, *document].concat())
}

/// `SHA-256(JCS(object without the member))`.
pub(super) fn digest_without(object: &Map, member: &str) -> Result<[u8; 32], IntegrityError> {
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

/// `z` and base58btc of 64 bytes. Base58 has one spelling for a sequence of bytes: each letter `1` in front is a byte 0,
/// and the rest is one number without leading zeros.
fn signature(text: &str) -> Result<[u8; 64], IntegrityError> {
    let decoded = || {
        let digits = text.strip_prefix('z')?;
        let bytes = (digits.len() <= MAX_BASE58)
            .then(|| bs58::decode(digits).into_vec().ok())
            .flatten()?;
        <[u8; 64]>::try_from(bytes).ok()
    };
    decoded().ok_or(IntegrityError::Member {
        member: "proofValue",
        must: "z and 64 bytes in base58btc",
    })
}

pub(super) fn write_signature(bytes: &[u8; 64]) -> String {
    format!("z{}", bs58::encode(bytes).into_string())
}

fn closed(members: &Map) -> Result<(), IntegrityError> {
    let known = |name: &String| MEMBERS.contains(&name.as_str());
    match members.keys().find(|name| !known(name)) {
        Some(name) => Err(IntegrityError::UnknownMember {
            member: name.chars().take(64).collect(),
        }),
        None => Ok(()),
    }
}

fn text<'a>(members: &'a Map, member: &'static str) -> Result<&'a str, IntegrityError> {
    optional(members, member)?.ok_or(IntegrityError::Member {
        member,
        must: "a string",
    })
}

fn optional<'a>(members: &'a Map, member: &'static str) -> Result<Option<&'a str>, IntegrityError> {
    let must = "a string";
    match members.get(member) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(IntegrityError::Member { member, must }),
    }
}
