//! Anchors: logs, agents and witnesses that an authority trusts. Without an anchor nothing verifies.

mod build;
mod json;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use counterfoil_types::{DidKey, Sha256Hash};
use ed25519_dalek::VerifyingKey;

use crate::checkpoint::{Checkpoint, valid_origin};
use crate::consistency::Head;
use crate::error::AnchorError;
use crate::fingerprint::KeyFingerprint;
use crate::limits::{MAX_TREE_SIZE, quoted};
use crate::note::VerifierKey;
use crate::refusal::Refusal;

/// A log that is trusted: its origin, its key, and the floor below which it may not fall.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogAnchor {
    origin: String,
    key: VerifierKey,
    floor: Option<Head>,
}

impl LogAnchor {
    /// A log whose origin is its key's name, as C2SP recommends; no floor.
    pub fn new(key: VerifierKey) -> Self {
        let origin = key.name().into();
        Self {
            origin,
            key,
            floor: None,
        }
    }

    /// The same log under another origin.
    ///
    /// # Errors
    /// [`AnchorError::Origin`] for a text that can't stand on a checkpoint's first line.
    pub fn with_origin(self, origin: impl Into<String>) -> Result<Self, AnchorError> {
        let origin = origin.into();
        if !valid_origin(&origin) {
            return Err(AnchorError::Origin {
                origin: quoted(&origin),
            });
        }
        Ok(Self { origin, ..self })
    }

    /// The same log with a floor: the least that it must have grown to, 1 to 2^62 leaves, and the root that it had there.
    ///
    /// An authority keeps the last checkpoint of a log as floor: from then on the log can neither go back nor show
    /// another past.
    ///
    /// # Errors
    /// [`AnchorError::FloorSize`] for any other size; leave an empty tree's floor out.
    pub fn with_floor(self, size: u64, root: Sha256Hash) -> Result<Self, AnchorError> {
        if size == 0 || size > MAX_TREE_SIZE {
            return Err(AnchorError::FloorSize { size });
        }
        let floor = Some((size, root));
        Ok(Self { floor, ..self })
    }

    /// The first line of its checkpoints.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The key that signs its checkpoints.
    pub const fn key(&self) -> &VerifierKey {
        &self.key
    }

    /// Size in leaves and root of the floor, if there is one.
    pub const fn floor(&self) -> Option<(u64, Sha256Hash)> {
        self.floor
    }
}

/// An anchored agent: its identity and its key, ready to verify against.
#[derive(Clone)]
struct Agent {
    did: DidKey,
    key: VerifyingKey,
}

/// Trusted logs, agents and witnesses. Immutable, so a verifier that holds it stays a
/// pure function of its arguments (M-8).
#[derive(Clone)]
pub struct Anchors {
    logs: Vec<LogAnchor>,
    agents: BTreeMap<KeyFingerprint, Agent>,
    witnesses: Vec<VerifierKey>,
    quorum: usize,
    /// Hash of the JSON form; a checkpoint that was judged under other anchors is judged again.
    id: Sha256Hash,
}

impl Anchors {
    /// The logs; none in anchors of agents alone.
    pub fn logs(&self) -> &[LogAnchor] {
        &self.logs
    }

    /// The agents, each once.
    pub fn agents(&self) -> impl Iterator<Item = &DidKey> {
        self.agents.values().map(|agent| &agent.did)
    }

    /// The witnesses.
    pub fn witnesses(&self) -> &[VerifierKey] {
        &self.witnesses
    }

    /// Required number of distinct cosigning witnesses; 0 for none.
    pub const fn quorum(&self) -> usize {
        self.quorum
    }

    pub(crate) const fn id(&self) -> Sha256Hash {
        self.id
    }

    /// The log of a checkpoint, by its origin.
    pub(crate) fn log_of(&self, checkpoint: &Checkpoint) -> Result<&LogAnchor, Refusal> {
        let origin = checkpoint.origin();
        let log = self.logs.iter().find(|log| log.origin == origin);
        log.ok_or_else(|| Refusal::UnknownOrigin {
            origin: quoted(origin),
        })
    }

    /// The key of an agent, by its fingerprint.
    pub(crate) fn agent_key(&self, id: &KeyFingerprint) -> Result<&VerifyingKey, Refusal> {
        let key_id = id.digest();
        let agent = self.agents.get(id);
        agent
            .map(|agent| &agent.key)
            .ok_or(Refusal::UnknownAgent { key_id })
    }
}

impl fmt::Debug for Anchors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_json())
    }
}

impl PartialEq for Anchors {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Anchors {}
