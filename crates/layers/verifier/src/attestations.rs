//! Attestations beside a trace: author and standing of each memory (docs/format/attestation.md).
//!
//! ```json
//! {"type":"counterfoil/attestations","version":"1",
//!  "keys":{"did:key:z6Mk…":[{"type":"key_inception",…},{"type":"key_rotation",…}]},
//!  "marks":[{"siblings":"…"}],
//!  "memories":{"world-7":{"author":{"header":"{…}","signature":{"keyId":"…","value":"…"}},
//!                         "standing":{"memory":{"siblings":"…","value":"…"},"key":0}}}}
//! ```
//! They stand outside of a proof, which holds no actor (M-8).

mod history;

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::document::{self, Fault};
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, MAX_SELECTED, Proposal, WorldId};
use ed25519_dalek::VerifyingKey;
use serde::{Deserialize, Serialize};

use crate::entry::Entry;
use crate::fingerprint::KeyFingerprint;
use crate::map::{KeyMark, Lookup, MemoryStanding, StandingLookups};
use crate::opened::OpenedHeader;
use crate::payload::EntrySignature;
use crate::proven::Proven;
use crate::refusal::Refusal;

/// Member of `trace.context` that holds them.
pub const ATTESTATIONS_KEY: &str = "attestations";
/// Largest number of documents of key chains in one proposal, of all agents together.
pub const MAX_KEY_DOCUMENTS: usize = 1024;

const TYPE: &str = "counterfoil/attestations";
const VERSION: &str = "1";

/// Attestations of the memories of a proposal. Key histories have been verified, authors have not.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Attestations {
    documents: BTreeMap<DidKey, Vec<Value>>,
    /// The keys of each agent in `documents`, by number.
    keys: BTreeMap<DidKey, Vec<DidKey>>,
    /// Lookups of the marks on the keys that signed memories, none twice.
    marks: Vec<Lookup>,
    memories: BTreeMap<WorldId, Attested>,
    beliefs: Vec<Value>,
}

/// Attestation of one memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Attested {
    author: Authorship,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    standing: Option<Standing>,
    /// Place in `beliefs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    belief: Option<usize>,
}

/// Lookup of a memory, and the place in `marks` of that of its author's key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Standing {
    memory: Lookup,
    key: usize,
}

/// Header of a memory's capsule, and its author's signature. It proves nothing until [`Attestations::author`] has verified it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Authorship {
    /// The canonical header, without signature.
    pub header: String,
    /// The signature over the entry.
    pub signature: EntrySignature,
}

/// Verified author of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Author {
    /// Name of the agent: its first key.
    pub agent: DidKey,
    /// Key that signed.
    pub key: DidKey,
    /// Its number, from 0.
    pub key_number: u64,
    /// Kind of the capsule that it signed, such as `claim`; `None` for a World.
    pub kind: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    r#type: String,
    version: String,
    #[serde(default)]
    keys: BTreeMap<String, Vec<Value>>,
    #[serde(default)]
    marks: Vec<Lookup>,
    memories: BTreeMap<String, Attested>,
    #[serde(default)]
    beliefs: Vec<Value>,
}

impl Attestations {
    /// Reads the attestations of a proposal, and verifies the key histories in them; empty without the member.
    ///
    /// # Errors
    /// [`Refusal`] for another form, more than 1000 memories or 1024 documents of key chains, and a history that does not
    /// hold.
    pub fn of(proposal: &Proposal) -> Result<Self, Refusal> {
        let context = proposal.trace().and_then(|trace| trace.context());
        match context.and_then(|context| context.get(ATTESTATIONS_KEY)) {
            Some(value) => Self::from_value(value),
            None => Ok(Self::default()),
        }
    }

    fn from_value(value: &Value) -> Result<Self, Refusal> {
        let members: Members = document::read(value)?;
        if members.r#type != TYPE || members.version != VERSION {
            return Err(Fault::new("/type", "counterfoil/attestations of version 1").into());
        }
        if members.memories.len() > MAX_SELECTED {
            return Err(Refusal::too_much("attested memories", MAX_SELECTED));
        }
        if members.keys.values().map(Vec::len).sum::<usize>() > MAX_KEY_DOCUMENTS {
            return Err(Refusal::too_much("key documents", MAX_KEY_DOCUMENTS));
        }
        if members.beliefs.len() > MAX_SELECTED {
            return Err(Refusal::too_much("beliefs", MAX_SELECTED));
        }
        if members.marks.len() > MAX_SELECTED {
            return Err(Refusal::too_much("marks of keys", MAX_SELECTED));
        }
        let mut read = Self {
            marks: members.marks,
            beliefs: members.beliefs,
            ..Self::default()
        };
        for (agent, documents) in members.keys {
            let must = || Fault::new("/keys", "histories by the did:key of their agents");
            read.insert_keys(agent.parse().map_err(|_| must())?, documents)?;
        }
        for (world, attested) in members.memories {
            let must = || Fault::new("/memories", "attestations by WorldId");
            let world = WorldId::new(world).map_err(|_| must())?;
            read.memories.insert(world, attested);
        }
        Ok(read)
    }

    /// Writes them: closed members.
    pub fn to_value(&self) -> Value {
        let keys = self.documents.iter();
        let memories = self.memories.iter();
        let keys: BTreeMap<_, _> = keys.map(|(agent, it)| (agent.to_string(), it)).collect();
        let memories: BTreeMap<_, _> = memories.map(|(id, it)| (id.to_string(), it)).collect();
        let written = document::object()
            .with("type", TYPE)
            .with("version", VERSION)
            .with_some("keys", (!keys.is_empty()).then_some(keys))
            .with_some("marks", (!self.marks.is_empty()).then_some(&self.marks))
            .with("memories", memories)
            .with_some(
                "beliefs",
                (!self.beliefs.is_empty()).then_some(&self.beliefs),
            );
        document::write(&written)
    }

    /// Adds the documents of an agent's key chain: the inception, then each rotation.
    ///
    /// # Errors
    /// [`Refusal::KeyHistory`] if they are no history of this agent.
    pub fn insert_keys(&mut self, agent: DidKey, documents: Vec<Value>) -> Result<(), Refusal> {
        self.keys.insert(agent, history::keys(agent, &documents)?);
        self.documents.insert(agent, documents);
        Ok(())
    }

    /// Adds the author of a memory, and its standing under the checkpoint of its proof.
    pub fn insert(
        &mut self,
        world: WorldId,
        author: Authorship,
        standing: Option<StandingLookups>,
    ) {
        let standing = standing.map(|lookups| {
            let known = self.marks.iter().position(|mark| *mark == lookups.key);
            Standing {
                memory: lookups.memory,
                key: known.unwrap_or_else(|| {
                    self.marks.push(lookups.key);
                    self.marks.len() - 1
                }),
            }
        });
        let attested = Attested {
            author,
            standing,
            belief: None,
        };
        self.memories.insert(world, attested);
    }

    /// Adds a proof of belief (docs/format/belief.md) of a line of claims, of which these memories are units.
    pub fn insert_belief<'w>(
        &mut self,
        proof: Value,
        units: impl IntoIterator<Item = &'w WorldId>,
    ) {
        for world in units {
            if let Some(attested) = self.memories.get_mut(world) {
                attested.belief = Some(self.beliefs.len());
            }
        }
        self.beliefs.push(proof);
    }

    /// The proof of belief that is attested of a memory, and its place among them; not verified.
    pub fn belief(&self, world: &WorldId) -> Option<(usize, &Value)> {
        let place = self.memories.get(world)?.belief?;
        Some((place, self.beliefs.get(place)?))
    }

    /// Returns true without any memory.
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty()
    }

    /// All keys of an agent, as far as its history is here: at least the one that it is named after.
    pub fn keys_of(&self, agent: &DidKey) -> Vec<DidKey> {
        let keys = self.keys.get(agent).cloned();
        keys.unwrap_or_else(|| Vec::from([*agent]))
    }

    /// Verifies the author of the memory of which `entry` is the recorded entry. `None` if nothing is attested of it, or if
    /// its key number is beyond the history that is here.
    ///
    /// `Some` guarantees: the header is the one that the entry names, and that key of the agent in it signed the entry. What
    /// else the header says is then the agent's claim.
    ///
    /// # Errors
    /// [`Refusal`] for a header or a signature of another.
    pub fn author(&self, entry: &Entry) -> Result<Option<Author>, Refusal> {
        let Some(Attested { author, .. }) = self.memories.get(&entry.world) else {
            return Ok(None);
        };
        let header = OpenedHeader::parse(&author.header)?;
        header.is_named_by(&author.header, entry)?;
        let (agent, key_number) = (header.agent, header.key_number);
        let number = usize::try_from(key_number).unwrap_or(usize::MAX);
        let Some(key) = self.keys_of(&agent).get(number).copied() else {
            return Ok(None);
        };
        let signature = &author.signature;
        if signature.key_id != KeyFingerprint::of(&key) {
            return Err(Refusal::KeyOfAnother);
        }
        let point =
            VerifyingKey::from_bytes(key.public_key()).map_err(|_| Refusal::KeyOfAnother)?;
        signature.check(&point, &entry.to_text())?;
        Ok(Some(Author {
            agent,
            key,
            key_number,
            kind: header.kind,
        }))
    }

    /// Verifies the standing of the memory that `proven` is about and `author` signed, under the map that the checkpoint of
    /// its proof binds. `None` if nothing is attested, the proof is of no log, or the checkpoint binds no map.
    ///
    /// `Some` guarantees: the log that is trusted for the proof said so with the same signature. The second value is the mark on
    /// the author's key, where that is not believed any more at the memory's entry.
    ///
    /// # Errors
    /// As [`MemoryStanding::check`].
    pub fn standing(
        &self,
        proven: &Proven,
        author: &Author,
    ) -> Result<Option<(MemoryStanding, Option<KeyMark>)>, Refusal> {
        let root = proven
            .checkpoint()
            .and_then(|checkpoint| checkpoint.map_root());
        let (Some(entry), Some(index), Some(root)) = (proven.entry(), proven.index(), root) else {
            return Ok(None);
        };
        let attested = self.memories.get(&entry.world);
        let standing = attested.and_then(|attested| attested.standing.as_ref());
        let key = standing.and_then(|standing| self.marks.get(standing.key));
        let (Some(Standing { memory, .. }), Some(key)) = (standing, key) else {
            return Ok(None);
        };
        let lookups = StandingLookups {
            memory: memory.clone(),
            key: key.clone(),
            line: None,
        };
        let signed_by = (&author.agent, author.key_number);
        MemoryStanding::check(&root, (&entry.world, index), signed_by, &lookups).map(Some)
    }
}
