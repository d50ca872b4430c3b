//! The receipt: what a holder of the content needs to prove that it was recorded (proof.md 1).
//!
//! ```json
//! {"agent":"did:key:…","consistency":{"from":"700","hashes":["<b64>"]},"entry":"counterfoil/capsule/v1\n…",
//!  "salt":"<b64>","signature":"<b64>","tlogProof":"c2sp.org/tlog-proof@v1\n…"}
//! ```
//! It is kept in the World's `metadata`, outside the content that it is about.

use alloc::string::ToString;
use core::fmt;

use counterfoil_types::DidKey;
use counterfoil_types::json::{self, Limits, Map, Value};
use counterfoil_verifier::Consistency;
use counterfoil_verifier::entry::Entry;
use counterfoil_verifier::tlog_proof::TlogProof;

use crate::error::CapsuleError;
use crate::member::{Members, base64_of, to_base64};

const WHAT: &str = "receipt";
const MEMBERS: [&str; 6] = [
    "agent",
    "consistency",
    "entry",
    "salt",
    "signature",
    "tlogProof",
];
/// As many hashes as a verifier looks at.
const MAX_CONSISTENCY_HASHES: usize = 65;

/// Entry, signature and place in the log of one sealed World.
///
/// To hold one proves nothing: `prove` compares it with the content, and an authority checks the
/// proof against keys that it trusts. The salt opens the content address, so the receipt is as
/// confidential as the content.
#[derive(Clone, PartialEq)]
pub struct Receipt {
    entry: Entry,
    agent: DidKey,
    signature: [u8; 64],
    salt: [u8; 32],
    tlog_proof: Option<TlogProof>,
    consistency: Option<Consistency>,
}

impl Receipt {
    /// The receipt of a capsule that is sealed and not yet in a log.
    #[must_use]
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

    /// Reads one: closed members, strict base64, strict entry and tlog-proof.
    ///
    /// # Errors
    /// [`CapsuleError::Document`].
    pub fn from_value(value: &Value) -> Result<Self, CapsuleError> {
        let members = Members::closed(WHAT, value, &MEMBERS)?;
        let entry = Entry::parse(members.text("entry")?);
        let agent = members.text("agent")?.parse();
        Ok(Self {
            entry: entry.map_err(|_| members.wrong("entry", "the entry of a World"))?,
            agent: agent.map_err(|_| members.wrong("agent", "did:key of an Ed25519 key"))?,
            signature: members.base64("signature", "64 bytes in base64")?,
            salt: members.base64("salt", "32 bytes in base64")?,
            tlog_proof: tlog_proof(members)?,
            consistency: members
                .optional("consistency")
                .map(consistency)
                .transpose()?,
        })
    }

    /// The receipt as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut members = Map::new();
        let mut put = |name: &str, value: Value| members.insert(name.to_string(), value);
        put("entry", self.entry.to_text().into());
        put("agent", self.agent.to_string().into());
        put("signature", to_base64(&self.signature).into());
        put("salt", to_base64(&self.salt).into());
        if let Some(proof) = &self.tlog_proof {
            put("tlogProof", proof.to_text().into());
        }
        if let Some(consistency) = &self.consistency {
            put("consistency", consistency.to_value());
        }
        Value::Object(members)
    }

    /// Entry that was signed and hashed as a log leaf.
    #[must_use]
    pub const fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Agent that signed, as the receipt states it.
    #[must_use]
    pub const fn agent(&self) -> DidKey {
        self.agent
    }

    /// The agent's Ed25519 signature over the entry; not checked by being here.
    #[must_use]
    pub const fn signature(&self) -> &[u8; 64] {
        &self.signature
    }

    /// The salt of the content address.
    #[must_use]
    pub const fn salt(&self) -> &[u8; 32] {
        &self.salt
    }

    /// Index, path and checkpoint in the log; absent before the capsule is in one.
    #[must_use]
    pub const fn tlog_proof(&self) -> Option<&TlogProof> {
        self.tlog_proof.as_ref()
    }

    /// The proof from an older checkpoint, when one was asked for.
    #[must_use]
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

fn tlog_proof(members: Members<'_>) -> Result<Option<TlogProof>, CapsuleError> {
    if members.optional("tlogProof").is_none() {
        return Ok(None);
    }
    let proof = TlogProof::parse(members.text("tlogProof")?);
    proof
        .map(Some)
        .map_err(|_| members.wrong("tlogProof", "a C2SP tlog-proof"))
}

fn consistency(value: &Value) -> Result<Consistency, CapsuleError> {
    let members = Members::closed("receipt: consistency", value, &["from", "hashes"])?;
    let must = "a decimal string without leading zeros";
    let from = members.text("from")?;
    let number: u64 = from.parse().map_err(|_| members.wrong("from", must))?;
    if number.to_string() != from {
        return Err(members.wrong("from", must));
    }
    let must = "an array of at most 65 digests in base64";
    let hashes = members.required("hashes", must)?.as_array();
    let hashes = hashes.filter(|hashes| hashes.len() <= MAX_CONSISTENCY_HASHES);
    let hashes = hashes
        .ok_or_else(|| members.wrong("hashes", must))?
        .iter()
        .map(|hash| {
            let bytes = hash.as_str().and_then(base64_of::<32>);
            bytes
                .map(counterfoil_types::Sha256Hash::from_bytes)
                .ok_or_else(|| members.wrong("hashes", must))
        });
    Ok(Consistency {
        from: number,
        hashes: hashes.collect::<Result<_, _>>()?,
    })
}
