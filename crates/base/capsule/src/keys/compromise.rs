//! `key_compromise`: the recovery key says from when on a key was in other hands (capsules 4.7, B24).

use counterfoil_types::document::Line;
use counterfoil_types::{Blake3Hash, DidKey};
use serde::{Deserialize, Serialize};

use super::{KeyError, KeyHistory, MAX_REASON};
use crate::document::{Document, Signed};
use crate::error::line;
use crate::id::ChainId;
use crate::key::Signer;
use crate::record::RecordKind;
use crate::timestamp::Timestamp;

/// Members of a key compromise.
///
/// ```json
/// {"type":"key_compromise","version":"1","agent":"did:key:…","chain":"<uuid>","previous":"blake3:…",
///  "number":0,"log":"example.org/log","from":12,"from_time":"2026-…Z","reason":"laptop stolen",
///  "recovery":"did:key:…","proof":{…by the recovery key…}}
/// ```
/// Capsules of key `number` from there on are *contested*: kept, shown as contested, never deleted.
/// [`KeyHistory`] checks the proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct KeyCompromise {
    /// Name of the agent whose key it was.
    pub agent: DidKey,
    /// Key chain of the agent.
    pub chain: ChainId,
    /// Hash of the record before this one.
    pub previous: Blake3Hash,
    /// Number of the key that was in other hands.
    pub number: u64,
    /// Origin of the log whose entries `from` counts, as in its checkpoints.
    pub log: Line<MAX_REASON>,
    /// First contested entry of that log.
    pub from: u64,
    /// First contested timestamp, for readers with another log.
    pub from_time: Timestamp,
    /// Reason, for people.
    pub reason: Line<MAX_REASON>,
    /// Recovery key, revealed.
    pub recovery: DidKey,
}

impl Document for KeyCompromise {
    const TYPE: &'static str = RecordKind::KeyCompromise.name();
}

impl KeyCompromise {
    /// Signs the mark on key `number` that extends `history`, with the recovery key. Contested are the capsules from an entry
    /// of a log on: the log's origin, the entry, and its time.
    ///
    /// # Errors
    /// [`KeyError::RecoveryKey`] when `recovery` signs with another key than was committed to,
    /// [`KeyError::Number`] when there is no such key, [`KeyError::Document`] for a reason or a log
    /// name that is empty, too long or has control characters.
    pub fn sign(
        history: &KeyHistory,
        recovery: &dyn Signer,
        number: u64,
        (log, from, from_time): (&str, u64, Timestamp),
        reason: &str,
        created: Timestamp,
    ) -> Result<Signed<Self>, KeyError> {
        let compromise = Self {
            agent: history.agent(),
            chain: history.chain(),
            previous: history.head(),
            number,
            log: line(Self::TYPE, "/log", log)?,
            from,
            from_time,
            reason: line(Self::TYPE, "/reason", reason)?,
            recovery: recovery.key(),
        };
        history.may_mark(&compromise)?;
        Signed::sign(compromise, &[recovery], created)
    }
}
