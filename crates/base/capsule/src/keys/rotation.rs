//! `key_rotation`: the next key takes over, with a proof by the current one and one by itself (capsules 4.7, B23).

use counterfoil_types::{Blake3Hash, DidKey};
use serde::{Deserialize, Serialize};

use super::{KeyError, KeyHistory, next_key_commitment};
use crate::document::{Document, Signed};
use crate::id::ChainId;
use crate::key::Signer;
use crate::record::RecordKind;
use crate::timestamp::Timestamp;

/// Members of a key rotation.
///
/// ```json
/// {"type":"key_rotation","version":"1","agent":"did:key:…","chain":"<uuid>","previous":"blake3:…",
///  "number":1,"key":"did:key:…","next_key":"blake3:…","recovery_key":"blake3:…","proof":[{…},{…}]}
/// ```
/// Bound to agent, key chain and the record before it (`previous`), so it fits one place alone.
/// [`KeyHistory`] checks the proofs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct KeyRotation {
    /// Name of the agent.
    pub agent: DidKey,
    /// Key chain of the agent.
    pub chain: ChainId,
    /// Hash of the record before this one.
    pub previous: Blake3Hash,
    /// Number of the key that takes over, from 1.
    pub number: u64,
    /// Key that takes over.
    pub key: DidKey,
    /// Commitment to the key after it.
    pub next_key: Blake3Hash,
    /// Commitment to the recovery key; the same in all records of the chain.
    pub recovery_key: Blake3Hash,
}

impl Document for KeyRotation {
    const TYPE: &'static str = RecordKind::KeyRotation.name();
}

impl KeyRotation {
    /// Signs the rotation that extends `history`: from the key that `current` signs with to the key that `next` signs with,
    /// committing to `then` as the key after it.
    ///
    /// # Errors
    /// [`KeyError::NotAuthorised`] when `current` is not the current key, [`KeyError::NextKey`] when
    /// `next` is not the key that was committed to, [`KeyError::Reused`] when `then` was used before.
    pub fn sign(
        history: &KeyHistory,
        current: &dyn Signer,
        next: &dyn Signer,
        then: &DidKey,
        created: Timestamp,
    ) -> Result<Signed<Self>, KeyError> {
        let rotation = Self {
            agent: history.agent(),
            chain: history.chain(),
            previous: history.head(),
            number: history.current_number() + 1,
            key: next.key(),
            next_key: next_key_commitment(then),
            recovery_key: history.recovery_key(),
        };
        history.signs_now(current)?;
        history.may_follow(&rotation)?;
        Signed::sign(rotation, &[current, next], created)
    }
}
