//! The receipt: what a holder of the content needs to prove that it was recorded (proof.md 1).
//!
//! ```json
//! {"agent":"did:key:…","consistency":{"from":"700","hashes":["<b64>"]},"entry":"counterfoil/capsule/v1\n…",
//!  "salt":"<b64>","signature":"<b64>","tlogProof":"c2sp.org/tlog-proof@v1\n…"}
//! ```
//! It is kept in the World's `metadata`, outside the content that it is about.

use core::fmt;

use counterfoil_types::json::{self, Limits, Value};
use counterfoil_types::{DidKey, World, document};
use counterfoil_verifier::Consistency;
use counterfoil_verifier::entry::Entry;
use counterfoil_verifier::tlog_proof::TlogProof;
use serde::{Deserialize, Serialize};

use crate::error::CapsuleError;

const WHAT: &str = "receipt";

/// Entry, signature and place in the log of one sealed World.
///
/// To hold one proves nothing: `prove` compares it with the content, and an authority checks the
/// proof against keys that it trusts. The salt opens the content address, so the receipt is as
/// confidential as the content.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Receipt {
    entry: Entry,
    agent: DidKey,
    #[serde(with = "document::base64")]
    signature: [u8; 64],
    #[serde(with = "document::base64")]
    salt: [u8; 32],
    #[serde(skip_serializing_if = "Option::is_none")]
    tlog_proof: Option<TlogProof>,
    #[serde(skip_serializing_if = "Option::is_none")]
    consistency: Option<Consistency>,
}

impl Receipt {
    /// The receipt of a capsule that is sealed and not yet in a log.
    pub const fn new(entry: Entry, agent: DidKey, signature: [u8; 64], salt: [u8; 32]) -> Self {
        Self {
            entry,
            agent,
            signature,
            salt,
            tlog_proof: None,
            consistency: None,
        }
    }

    /// With its place in the log.
    #[must_use]
    pub fn with_tlog_proof(mut self, tlog_proof: TlogProof) -> Self {
        self.tlog_proof = Some(tlog_proof);
        self
    }

    /// With the proof that the log at the checkpoint extends an older one.
    #[must_use]
    pub fn with_consistency(mut self, consistency: Consistency) -> Self {
        self.consistency = Some(consistency);
        self
    }

    /// Reads one from the bytes of a JSON document, strictly, at most 64 KiB.
    ///
    /// # Errors
    /// [`CapsuleError::Json`], and as [`from_value`](Self::from_value).
    pub fn from_json(bytes: &[u8]) -> Result<Self, CapsuleError> {
        let value = json::parse(bytes, Limits::PROOF);
        Self::from_value(&value.map_err(|source| CapsuleError::Json { what: WHAT, source })?)
    }

    /// The receipt that the store laid beside `world` (`metadata.receipt`).
    ///
    /// # Errors
    /// [`CapsuleError::Document`] when it is there and is not one.
    pub fn of(world: &World) -> Result<Option<Self>, CapsuleError> {
        let receipt = world.metadata().and_then(|metadata| metadata.get(WHAT));
        receipt.map(Self::from_value).transpose()
    }

    /// `world` with this receipt in the place of any other.
    #[must_use]
    pub fn beside(&self, world: World) -> World {
        world.with_metadata(WHAT, self.to_value())
    }

    /// Reads one: closed members, strict base64, strict entry and tlog-proof.
    ///
    /// # Errors
    /// [`CapsuleError::Document`].
    pub fn from_value(value: &Value) -> Result<Self, CapsuleError> {
        document::read(value).map_err(|fault| CapsuleError::document(WHAT, fault))
    }

    /// The receipt as JSON.
    pub fn to_value(&self) -> Value {
        document::write(self)
    }

    /// Entry that was signed and hashed as a log leaf.
    pub const fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Agent that signed, as the receipt states it.
    pub const fn agent(&self) -> DidKey {
        self.agent
    }

    /// The agent's Ed25519 signature over the entry; not checked by being here.
    pub const fn signature(&self) -> &[u8; 64] {
        &self.signature
    }

    /// The salt of the content address.
    pub const fn salt(&self) -> &[u8; 32] {
        &self.salt
    }

    /// Index, path and checkpoint in the log; absent before the capsule is in one.
    pub const fn tlog_proof(&self) -> Option<&TlogProof> {
        self.tlog_proof.as_ref()
    }

    /// The proof from an older checkpoint, when one was asked for.
    pub const fn consistency(&self) -> Option<&Consistency> {
        self.consistency.as_ref()
    }
}

/// Salt and signature are left out: a log line must not open an erased memory.
impl fmt::Debug for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receipt")
            .field("entry", &self.entry)
            .field("agent", &self.agent)
            .finish_non_exhaustive()
    }
}
