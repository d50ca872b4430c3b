//! Findings of a verified proof (`proof.md` §5).

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use counterfoil_types::json::Value;
use counterfoil_types::{WorldId, words};

use crate::checkpoint::Checkpoint;
use crate::disclosure;
use crate::entry::Entry;
use crate::fingerprint::KeyFingerprint;
use crate::payload::DisclosurePayload;
use crate::refusal::Refusal;

words! {
    /// Strength of a verified proof; a policy names the least that it accepts.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Strength {
        /// Nothing was verified.
        None = "none",
        /// The proof is well-formed and empty; nothing binds it to a World.
        Existence = "existence",
        /// The proof names a World and its content; nothing anchors it.
        Hash = "hash",
        /// An anchored agent signed that this content is this World's.
        Signature = "signature",
        /// An anchored log recorded it before a checkpoint.
        Merkle = "merkle",
    }
}

/// Findings of a verified proof: this content under this WorldId was signed, or recorded in this log
/// before this checkpoint, unmodified.
///
/// It does *not* say that the content is true (M-1), that it is still believed, or, without
/// floor and witnesses, that the log shows others the same history.
#[derive(Debug, Clone, PartialEq)]
pub struct Proven {
    strength: Strength,
    subject: Subject,
    agent: Option<KeyFingerprint>,
    place: Option<Place>,
    disclosed: Vec<(String, Value)>,
}

#[derive(Debug, Clone, PartialEq)]
enum Subject {
    Nothing,
    World(WorldId),
    Entry(Entry),
}

/// Position in a log.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    index: u64,
    checkpoint: Arc<Checkpoint>,
}

impl Proven {
    /// Findings of an application's own method about a World (MR-04).
    pub const fn by_method(strength: Strength, world: WorldId) -> Self {
        Self::about(strength, Subject::World(world))
    }

    /// The same findings with another rank, for a policy that ranks an application's own verifier.
    pub fn ranked(self, strength: Strength) -> Self {
        Self { strength, ..self }
    }

    pub(crate) const fn nothing(strength: Strength) -> Self {
        Self::about(strength, Subject::Nothing)
    }

    pub(crate) const fn entry_of(strength: Strength, entry: Entry) -> Self {
        Self::about(strength, Subject::Entry(entry))
    }

    const fn about(strength: Strength, subject: Subject) -> Self {
        Self {
            strength,
            subject,
            agent: None,
            place: None,
            disclosed: Vec::new(),
        }
    }

    pub(crate) fn signed_by(self, agent: KeyFingerprint) -> Self {
        Self {
            agent: Some(agent),
            ..self
        }
    }

    pub(crate) fn recorded(self, index: u64, checkpoint: Arc<Checkpoint>) -> Self {
        let place = Some(Place { index, checkpoint });
        Self { place, ..self }
    }

    /// Checks the fields that the proof discloses against the entry that it is about.
    pub(crate) fn disclosing(
        mut self,
        disclosure: Option<&DisclosurePayload>,
    ) -> Result<Self, Refusal> {
        if let (Some(disclosure), Subject::Entry(entry)) = (disclosure, &self.subject) {
            self.disclosed = disclosure::check(disclosure, entry)?;
        }
        Ok(self)
    }

    /// Strength of the proof.
    pub const fn strength(&self) -> Strength {
        self.strength
    }

    /// The World that the proof is about; none for method `existence`, and for a verifier that returns a bool.
    pub const fn world(&self) -> Option<&WorldId> {
        match &self.subject {
            Subject::Nothing => None,
            Subject::World(world) => Some(world),
            Subject::Entry(entry) => Some(&entry.world),
        }
    }

    /// The entry that was signed or recorded.
    pub const fn entry(&self) -> Option<&Entry> {
        match &self.subject {
            Subject::Entry(entry) => Some(entry),
            _ => None,
        }
    }

    /// Fingerprint of the anchored agent that signed (method `signature`).
    pub const fn agent(&self) -> Option<&KeyFingerprint> {
        self.agent.as_ref()
    }

    /// Index of the entry in the log, from 0 (method `merkle`).
    pub fn index(&self) -> Option<u64> {
        self.place.as_ref().map(|place| place.index)
    }

    /// The checkpoint under which it was recorded (method `merkle`).
    pub fn checkpoint(&self) -> Option<&Checkpoint> {
        self.place.as_ref().map(|place| &*place.checkpoint)
    }

    /// JSON Pointer (RFC 6901) and value of each disclosed field, in ascending order; a value is a scalar or an empty
    /// container. Of all fields there are as many as the entry counts.
    pub fn disclosed(&self) -> &[(String, Value)] {
        &self.disclosed
    }
}
