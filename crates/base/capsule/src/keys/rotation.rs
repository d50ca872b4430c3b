//! `key_rotation`: the next key takes over, with a proof by the current one and one by itself (capsules 4.7, B23).

use counterfoil_types::json::Value;
use counterfoil_types::{Blake3Hash, DidKey};

use super::reading::{Reading, unsigned, written};
use super::{Commitments, KeyError, KeyHistory, next_key_commitment};
use crate::error::CapsuleError;
use crate::id::ChainId;
use crate::integrity::{Expect, ProofOptions, sign, verify};
use crate::key::Signer;
use crate::record::RecordKind;
use crate::timestamp::Timestamp;

const KIND: RecordKind = RecordKind::KeyRotation;
const MEMBERS: [&str; 8] = [
    "agent",
    "chain",
    "key",
    "next_key",
    "number",
    "previous",
    "proof",
    "recovery_key",
];

/// ```json
/// {"type":"key_rotation","version":"1","agent":"did:key:…","chain":"<uuid>","previous":"blake3:…",
///  "number":1,"key":"did:key:…","next_key":"blake3:…","recovery_key":"blake3:…","proof":[{…},{…}]}
/// ```
/// Bound to agent, key chain and the record before it (`previous`), so it fits one place alone. Its
/// proofs are checked by [`KeyHistory`], not by its existence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRotation {
    agent: DidKey,
    chain: ChainId,
    previous: Blake3Hash,
    number: u64,
    key: DidKey,
    commitments: Commitments,
    document: Value,
}

impl KeyRotation {
    /// The rotation that extends `history`: from the key that `current` signs with, to the key that
    /// `next` signs with, committing to `then` as the key after it.
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
    ) -> Result<Self, KeyError> {
        let commitments = Commitments {
            next_key: next_key_commitment(then),
            recovery_key: history.commitments().recovery_key,
        };
        let mut rotation = Self {
            agent: history.agent(),
            chain: history.chain(),
            previous: history.head(),
            number: history.current_number() + 1,
            key: next.key(),
            commitments,
            document: Value::Null,
        };
        history.signs_now(current)?;
        history.may_follow(&rotation)?;
        let options = ProofOptions::assertion(created);
        let document = sign(rotation.unsigned(), current, &options)?;
        rotation.document = sign(document, next, &options)?;
        Ok(rotation)
    }

    /// Reads one: closed members, each what it must be.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(value: &Value) -> Result<Self, CapsuleError> {
        let reading = Reading::of(KIND, value, &MEMBERS)?;
        Ok(Self {
            agent: reading.key("agent")?,
            chain: reading.chain()?,
            previous: reading.hash("previous")?,
            number: reading.number("number")?,
            key: reading.key("key")?,
            commitments: Commitments {
                next_key: reading.hash("next_key")?,
                recovery_key: reading.hash("recovery_key")?,
            },
            document: value.clone(),
        })
    }

    /// The document, proofs included.
    #[must_use]
    pub const fn to_value(&self) -> &Value {
        &self.document
    }

    /// Whose keys they are.
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

    /// The number of the key that takes over, from 1.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// The key that takes over.
    #[must_use]
    pub const fn key(&self) -> DidKey {
        self.key
    }

    /// What the agent commits to from here on.
    #[must_use]
    pub const fn commitments(&self) -> Commitments {
        self.commitments
    }

    /// One proof by `current` and one by the key that takes over.
    pub(super) fn verify(&self, current: DidKey) -> Result<(), KeyError> {
        for key in [current, self.key] {
            verify(&self.document, &Expect::assertion(self.agent, &[key]))?;
        }
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
                ("key", written(self.key)),
                ("next_key", written(self.commitments.next_key)),
                ("recovery_key", written(self.commitments.recovery_key)),
            ],
        )
    }
}
