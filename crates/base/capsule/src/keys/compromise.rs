//! `key_compromise`: the recovery key says from when on a key was in other hands (capsules 4.7, B24).

use alloc::string::{String, ToString};

use counterfoil_types::json::Value;
use counterfoil_types::{Blake3Hash, DidKey};

use super::reading::{REASON, Reading, is_reason, unsigned, written};
use super::{KeyError, KeyHistory};
use crate::error::CapsuleError;
use crate::id::ChainId;
use crate::integrity::{Expect, ProofOptions, sign, verify};
use crate::key::Signer;
use crate::record::RecordKind;
use crate::timestamp::Timestamp;

const KIND: RecordKind = RecordKind::KeyCompromise;
const MEMBERS: [&str; 10] = [
    "agent",
    "chain",
    "from",
    "from_time",
    "log",
    "number",
    "previous",
    "proof",
    "reason",
    "recovery",
];

/// From where on a key is not believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Since {
    /// The log whose entries `entry` counts: its origin, as in its checkpoints.
    pub log: String,
    /// The first entry of that log that is not believed.
    pub entry: u64,
    /// The same for whoever has another log: the first timestamp that is not believed.
    pub time: Timestamp,
}

/// ```json
/// {"type":"key_compromise","version":"1","agent":"did:key:…","chain":"<uuid>","previous":"blake3:…",
///  "number":0,"log":"example.org/log","from":12,"from_time":"2026-…Z","reason":"laptop stolen",
///  "recovery":"did:key:…","proof":{…by the recovery key…}}
/// ```
/// Capsules of key `number` from there on are *contested*: kept, shown as contested, never deleted.
/// Its proof is checked by [`KeyHistory`], not by its existence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyCompromise {
    agent: DidKey,
    chain: ChainId,
    previous: Blake3Hash,
    number: u64,
    since: Since,
    reason: String,
    recovery: DidKey,
    document: Value,
}

impl KeyCompromise {
    /// The mark on key `number` that extends `history`, signed with the recovery key.
    ///
    /// # Errors
    /// [`KeyError::RecoveryKey`] when `recovery` signs with another key than was committed to,
    /// [`KeyError::Number`] when there is no such key, [`KeyError::Document`] for a reason or a log
    /// name that is empty, too long or has control characters.
    pub fn sign(
        history: &KeyHistory,
        recovery: &dyn Signer,
        number: u64,
        since: Since,
        reason: &str,
        created: Timestamp,
    ) -> Result<Self, KeyError> {
        for (member, text) in [("reason", reason), ("log", since.log.as_str())] {
            if !is_reason(text) {
                return Err(KeyError::Document(wrong(member)));
            }
        }
        let mut compromise = Self {
            agent: history.agent(),
            chain: history.chain(),
            previous: history.head(),
            number,
            since,
            reason: reason.to_string(),
            recovery: recovery.key(),
            document: Value::Null,
        };
        history.may_mark(&compromise)?;
        let unsigned = compromise.unsigned();
        compromise.document = sign(unsigned, recovery, &ProofOptions::assertion(created))?;
        Ok(compromise)
    }

    /// Reads one: closed members, each what it must be.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(value: &Value) -> Result<Self, CapsuleError> {
        let reading = Reading::of(KIND, value, &MEMBERS)?;
        let log = reading.text("log")?;
        if !is_reason(log) {
            return Err(wrong("log"));
        }
        Ok(Self {
            agent: reading.key("agent")?,
            chain: reading.chain()?,
            previous: reading.hash("previous")?,
            number: reading.number("number")?,
            since: Since {
                log: log.to_string(),
                entry: reading.number("from")?,
                time: reading.text("from_time")?.parse()?,
            },
            reason: reading.reason()?,
            recovery: reading.key("recovery")?,
            document: value.clone(),
        })
    }

    /// The document, proof included.
    #[must_use]
    pub const fn to_value(&self) -> &Value {
        &self.document
    }

    /// Whose key it was.
    #[must_use]
    pub const fn agent(&self) -> DidKey {
        self.agent
    }

    /// The key chain that it was made for.
    #[must_use]
    pub const fn chain(&self) -> ChainId {
        self.chain
    }

    /// The capsule of that chain that it was made to follow.
    #[must_use]
    pub const fn previous(&self) -> Blake3Hash {
        self.previous
    }

    /// The number of the key that was in other hands.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// From where on it is not believed.
    #[must_use]
    pub const fn since(&self) -> &Since {
        &self.since
    }

    /// Why, for people.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The recovery key, revealed.
    #[must_use]
    pub const fn recovery(&self) -> DidKey {
        self.recovery
    }

    pub(super) fn verify(&self) -> Result<(), KeyError> {
        verify(
            &self.document,
            &Expect::assertion(self.agent, &[self.recovery]),
        )?;
        Ok(())
    }

    fn unsigned(&self) -> Value {
        unsigned(
            KIND,
            [
                ("agent", written(self.agent)),
                ("chain", written(self.chain)),
                ("previous", written(self.previous)),
                ("number", self.number.into()),
                ("log", self.since.log.as_str().into()),
                ("from", self.since.entry.into()),
                ("from_time", written(self.since.time)),
                ("reason", self.reason.as_str().into()),
                ("recovery", written(self.recovery)),
            ],
        )
    }
}

const fn wrong(member: &'static str) -> CapsuleError {
    CapsuleError::Member {
        what: "key_compromise",
        member,
        must: REASON,
    }
}
