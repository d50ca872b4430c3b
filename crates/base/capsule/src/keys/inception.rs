//! `key_inception`: the first record of a key chain, in which an agent commits to what comes (capsules 4.7).

use counterfoil_types::DidKey;
use counterfoil_types::json::Value;

use super::reading::{Reading, unsigned, written};
use super::{Commitments, KeyError};
use crate::error::CapsuleError;
use crate::integrity::{Expect, ProofOptions, sign, verify};
use crate::key::Signer;
use crate::record::RecordKind;
use crate::timestamp::Timestamp;

const KIND: RecordKind = RecordKind::KeyInception;
const MEMBERS: [&str; 4] = ["agent", "next_key", "proof", "recovery_key"];

/// ```json
/// {"type":"key_inception","version":"1","agent":"did:key:…","next_key":"blake3:…",
///  "recovery_key":"blake3:…","proof":{…by the agent's first key…}}
/// ```
/// Its proof is checked by [`KeyHistory`](super::KeyHistory), not by its existence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInception {
    agent: DidKey,
    commitments: Commitments,
    document: Value,
}

impl KeyInception {
    /// The inception of the agent that `signer` is, signed with its first key.
    ///
    /// # Errors
    /// [`KeyError::NotAuthorised`] when `signer` signs with a later key.
    pub fn sign(
        signer: &dyn Signer,
        commitments: Commitments,
        created: Timestamp,
    ) -> Result<Self, KeyError> {
        let (agent, number) = (signer.agent(), signer.key_number());
        if number != 0 || signer.key() != agent {
            return Err(KeyError::NotAuthorised { number, current: 0 });
        }
        let document = unsigned(
            KIND,
            [
                ("agent", written(agent)),
                ("next_key", written(commitments.next_key)),
                ("recovery_key", written(commitments.recovery_key)),
            ],
        );
        let document = sign(document, signer, &ProofOptions::assertion(created))?;
        Ok(Self {
            agent,
            commitments,
            document,
        })
    }

    /// Reads one: closed members, each what it must be.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(value: &Value) -> Result<Self, CapsuleError> {
        let reading = Reading::of(KIND, value, &MEMBERS)?;
        Ok(Self {
            agent: reading.key("agent")?,
            commitments: Commitments {
                next_key: reading.hash("next_key")?,
                recovery_key: reading.hash("recovery_key")?,
            },
            document: value.clone(),
        })
    }

    /// The document, proof included.
    #[must_use]
    pub const fn to_value(&self) -> &Value {
        &self.document
    }

    /// Whose keys begin here.
    #[must_use]
    pub const fn agent(&self) -> DidKey {
        self.agent
    }

    /// What the agent commits to.
    #[must_use]
    pub const fn commitments(&self) -> Commitments {
        self.commitments
    }

    pub(super) fn verify(&self) -> Result<(), KeyError> {
        verify(
            &self.document,
            &Expect::assertion(self.agent, &[self.agent]),
        )?;
        Ok(())
    }
}
