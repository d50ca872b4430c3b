//! The capsule header: what an agent says beside the content, in one canonical spelling (capsules 4.1).
//!
//! ```text
//! {"agent":"did:key:z6Mk…","chain":"<uuid>","delta":null,"id":"<uuid>","mutation":null,
//!  "payload":{"hash":"blake3:<64 hex>","size":187},"previous":null,"seq":0,
//!  "timestamp":"2026-02-10T00:00:00.000001Z","type":"memory_capsule","version":"1","world":"…"}
//! ```
//! without white space. `ext` (a non-empty object) is where later kinds and members go; any other
//! member is refused. The signature is not part of it, so no second signature makes a fork.

mod body;
mod read;
mod signed;
mod write;

use counterfoil_types::json::{Map, Value};
use counterfoil_types::{Blake3Hash, DidKey, WorldId};

pub use body::BodyRef;
pub(crate) use read::Unlinked;
pub use signed::SignedHeader;
pub(crate) use write::{Laid, exported};

use crate::digest::{header_hash, mutation_hash};
use crate::error::CapsuleError;
use crate::extensions::{self, Extensions};
use crate::id::{CapsuleId, ChainId};
use crate::key::Signer;
use crate::position::{ClockState, Position};
use crate::record::RecordKind;
use crate::timestamp::Timestamp;

/// A header that is canonical, closed and consistent with itself.
///
/// Not checked by its existence: the signature, the predecessor, the bodies. That is for
/// [`check_capsule`](crate::check_capsule).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    members: Unlinked,
    link: Link,
}

/// Place of a capsule in its chain.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Link {
    /// It begins the chain: `seq` 0, and `previous`, `delta` and `mutation` null.
    Seed,
    /// It follows another capsule.
    Successor(Successor),
}

/// The link of a capsule to the one before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Successor {
    seq: u64,
    previous: Blake3Hash,
    delta: BodyRef,
    mutation: Blake3Hash,
}

impl Successor {
    /// Delta against the version before.
    #[must_use]
    pub const fn delta(&self) -> &BodyRef {
        &self.delta
    }

    /// The protocol's `hash(previous || delta)`.
    #[must_use]
    pub const fn mutation(&self) -> Blake3Hash {
        self.mutation
    }
}

/// Kind of a capsule's content. The first line of its entry and `ext.kind` name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind<'a> {
    /// The content of a World: no `ext.kind`, entry `counterfoil/capsule/v1`.
    World,
    /// A record about keys, chains or memories, entry `counterfoil/record/v1`.
    Record(RecordKind),
    /// A claim unit: the content of a World that came through the gate, `ext.kind` is `claim`, always a seed, entry
    /// `counterfoil/capsule/v1` (docs/format/claims.md 2).
    Claim,
    /// A kind that this version does not know.
    Unknown(&'a str),
}

impl Header {
    /// The header of a World's capsule at `position` in a chain of the signer's agent.
    ///
    /// # Errors
    /// [`CapsuleError::HeaderTooLarge`] above 4 KiB, [`CapsuleError::BodyTooLarge`] when a body is
    /// larger than its kind may be.
    pub fn of_world(
        signer: &dyn Signer,
        position: &Position,
        payload: BodyRef,
        world: WorldId,
    ) -> Result<Self, CapsuleError> {
        Unlinked::of(signer, position, payload, Subject::World(world))?.link()
    }

    /// The header of a claim unit, which is always a seed, in the name of the signer's agent.
    ///
    /// # Errors
    /// [`CapsuleError::Sequence`] at any other place, else as [`of_world`](Self::of_world).
    pub fn of_claim(
        signer: &dyn Signer,
        position: &Position,
        payload: BodyRef,
        world: WorldId,
    ) -> Result<Self, CapsuleError> {
        Unlinked::of(signer, position, payload, Subject::Claim(world))?.link()
    }

    /// The header of a record at `position` in a chain of the signer's agent.
    ///
    /// # Errors
    /// As [`of_world`](Self::of_world).
    pub fn of_record(
        signer: &dyn Signer,
        position: &Position,
        payload: BodyRef,
        kind: RecordKind,
    ) -> Result<Self, CapsuleError> {
        Unlinked::of(signer, position, payload, Subject::Record(kind))?.link()
    }

    /// Reads a header: strict and byte for byte its own canonical form.
    ///
    /// # Errors
    /// The first thing that is wrong, in the order of [`Check`](crate::Check).
    pub fn parse(bytes: &[u8]) -> Result<Self, CapsuleError> {
        Unlinked::parse(bytes)?.link()
    }

    /// The canonical JSON, without signature: the bytes that [`hash`](Self::hash) is over.
    #[must_use]
    pub fn canonical(&self) -> &str {
        &self.members.text
    }

    /// Hash that the next capsule of the chain links to and that the entry names as `capsule`.
    #[must_use]
    pub const fn hash(&self) -> Blake3Hash {
        self.members.hash
    }

    /// Agent that wrote it, as the header states it.
    #[must_use]
    pub const fn agent(&self) -> DidKey {
        self.members.agent
    }

    /// Its name.
    #[must_use]
    pub const fn id(&self) -> CapsuleId {
        self.members.id
    }

    /// Chain of the capsule.
    #[must_use]
    pub const fn chain(&self) -> ChainId {
        self.members.chain
    }

    /// Its number in the chain, from 0 without gaps, at most 2^53 - 1.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.members.seq
    }

    /// The hash of the capsule before it; `None` for a seed.
    #[must_use]
    pub const fn previous(&self) -> Option<Blake3Hash> {
        match &self.link {
            Link::Seed => None,
            Link::Successor(successor) => Some(successor.previous),
        }
    }

    /// Link to the capsule before it.
    #[must_use]
    pub const fn link(&self) -> &Link {
        &self.link
    }

    /// Address and size of the payload.
    #[must_use]
    pub const fn payload(&self) -> &BodyRef {
        &self.members.payload
    }

    /// Time of writing by the writer's clock: transaction time.
    #[must_use]
    pub const fn timestamp(&self) -> Timestamp {
        self.members.timestamp
    }

    /// State of the writer's clock: ahead of the store's, or held to the last capsule.
    #[must_use]
    pub fn clock(&self) -> ClockState {
        match self.members.ext.get("clock") {
            Some(_) => ClockState::Held,
            None => ClockState::Running,
        }
    }

    /// The World whose content it holds.
    #[must_use]
    pub const fn world(&self) -> Option<&WorldId> {
        self.members.world.as_ref()
    }

    /// The number of the agent's key that signs it: 0 for the key that the agent is named after.
    #[must_use]
    pub fn key_number(&self) -> u64 {
        // The form was checked when the header was made.
        extensions::key_number(&self.members.ext).unwrap_or_default()
    }

    /// Members of `ext` that have a meaning here.
    #[must_use]
    pub fn extensions(&self) -> Extensions {
        Extensions::read(&self.members.ext).unwrap_or_default()
    }

    /// Kind of the content.
    #[must_use]
    pub fn kind(&self) -> Kind<'_> {
        self.members.kind()
    }

    pub(crate) const fn members(&self) -> &Unlinked {
        &self.members
    }

    /// Extensions; empty when the header has no `ext`.
    #[must_use]
    pub const fn ext(&self) -> &Map {
        &self.members.ext
    }
}

impl Unlinked {
    /// The checks of sequence and mutation that need no other capsule.
    pub(crate) fn link(self) -> Result<Header, CapsuleError> {
        let link = match (self.seq, self.previous) {
            (0, None) if self.chain != ChainId::of_seed(self.id) => {
                return Err(CapsuleError::Sequence("a chain is named after its seed"));
            }
            (0, None) => self.seed()?,
            (0, Some(_)) => {
                return Err(CapsuleError::Sequence("a seed has no previous capsule"));
            }
            (_, None) => {
                return Err(CapsuleError::Sequence(
                    "a capsule after the seed names the previous",
                ));
            }
            _ if self.kind() == Kind::Claim => {
                return Err(CapsuleError::Sequence(
                    "a claim unit begins its chain and ends it",
                ));
            }
            (seq, Some(previous)) => self.successor(seq, previous)?,
        };
        Ok(Header {
            members: self,
            link,
        })
    }

    fn seed(&self) -> Result<Link, CapsuleError> {
        if self.delta.is_some() || self.mutation.is_some() {
            return Err(CapsuleError::Mutation(
                "a seed has neither delta nor mutation",
            ));
        }
        Ok(Link::Seed)
    }

    fn successor(&self, seq: u64, previous: Blake3Hash) -> Result<Link, CapsuleError> {
        let (Some(delta), Some(mutation)) = (&self.delta, self.mutation) else {
            return Err(CapsuleError::Mutation(
                "a capsule after the seed has delta and mutation",
            ));
        };
        if mutation != mutation_hash(&previous, &delta.hash()) {
            return Err(CapsuleError::Mutation(
                "mutation is not the hash of previous and delta",
            ));
        }
        Ok(Link::Successor(Successor {
            seq,
            previous,
            delta: delta.clone(),
            mutation,
        }))
    }

    pub(crate) fn kind(&self) -> Kind<'_> {
        match self.ext.get("kind").and_then(Value::as_str) {
            Some(CLAIM) => Kind::Claim,
            Some(kind) => kind.parse().map_or(Kind::Unknown(kind), Kind::Record),
            None => Kind::World,
        }
    }

    fn of(
        signer: &dyn Signer,
        position: &Position,
        payload: BodyRef,
        subject: Subject,
    ) -> Result<Self, CapsuleError> {
        let follows = position.follows();
        let mut ext = position.ext();
        if signer.key_number() > 0 {
            ext.insert("key".into(), signer.key_number().into());
        }
        let world = match subject {
            Subject::World(world) => Some(world),
            Subject::Claim(world) => {
                ext.insert("kind".into(), CLAIM.into());
                Some(world)
            }
            Subject::Record(kind) => {
                ext.insert("kind".into(), kind.name().into());
                None
            }
        };
        let header = Self {
            agent: signer.agent(),
            id: position.id(),
            chain: position.chain(),
            seq: position.seq(),
            previous: follows.map(|(previous, _)| previous),
            mutation: follows.map(|(previous, delta)| mutation_hash(&previous, &delta.hash())),
            delta: follows.map(|(_, delta)| delta.clone()),
            payload,
            timestamp: position.timestamp(),
            world,
            ext,
            text: alloc::string::String::new(),
            hash: Blake3Hash::from_bytes([0; 32]),
        };
        header.written()
    }

    /// Gives the header its text and its hash: the one place where a header is spelled.
    fn written(mut self) -> Result<Self, CapsuleError> {
        self.text = write::header(&self)?;
        self.hash = header_hash(self.text.as_bytes());
        self.within_limits()
    }
}

/// The `ext.kind` of a claim unit.
const CLAIM: &str = "claim";

/// Subject of a capsule.
enum Subject {
    World(WorldId),
    Claim(WorldId),
    Record(RecordKind),
}
