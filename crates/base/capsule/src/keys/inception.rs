//! `key_inception`: the first record of a key chain, in which an agent commits to what comes (capsules 4.7).

use counterfoil_types::{Blake3Hash, DidKey};
use serde::{Deserialize, Serialize};

use super::{KeyError, next_key_commitment, recovery_key_commitment};
use crate::document::{Document, Signed};
use crate::key::Signer;
use crate::record::RecordKind;
use crate::timestamp::Timestamp;

/// Members of a key inception.
///
/// ```json
/// {"type":"key_inception","version":"1","agent":"did:key:…","next_key":"blake3:…",
///  "recovery_key":"blake3:…","proof":{…by the agent's first key…}}
/// ```
/// [`KeyHistory`](super::KeyHistory) checks the proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct KeyInception {
    /// Name and first key of the agent.
    pub agent: DidKey,
    /// Commitment to the next key.
    pub next_key: Blake3Hash,
    /// Commitment to the recovery key.
    pub recovery_key: Blake3Hash,
}

impl Document for KeyInception {
    const TYPE: &'static str = RecordKind::KeyInception.name();
}

impl KeyInception {
    /// Signs the inception of the agent that `signer` is, with its first key, committing to the next key and the recovery key.
    ///
    /// # Errors
    /// [`KeyError::NotAuthorised`] when `signer` signs with a later key.
    pub fn sign(
        signer: &dyn Signer,
        next: &DidKey,
        recovery: &DidKey,
        created: Timestamp,
    ) -> Result<Signed<Self>, KeyError> {
        let (agent, number) = (signer.agent(), signer.key_number());
        if number != 0 || signer.key() != agent {
            return Err(KeyError::NotAuthorised { number, current: 0 });
        }
        let inception = Self {
            agent,
            next_key: next_key_commitment(next),
            recovery_key: recovery_key_commitment(recovery),
        };
        Signed::sign(inception, &[signer], created)
    }
}
