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
mod position;
mod read;
mod write;

use counterfoil_types::json::{Map, Value};
use counterfoil_types::{Blake3Hash, DidKey, WorldId};

pub use body::{BodyRef, SaltedBody};
pub use position::Position;
pub(crate) use read::Unlinked;
pub(crate) use write::{Beside, canonical};

use crate::digest::{header_hash, mutation_hash};
use crate::error::CapsuleError;
use crate::extensions::{self, Extensions};
use crate::id::{CapsuleId, ChainId};
use crate::key::Signer;
use crate::record::RecordKind;
use crate::stamp::LastTimes;
use crate::timestamp::Timestamp;

/// A header that is canonical, closed and consistent with itself.
///
/// Not checked by its existence: the signature, the predecessor, the bodies. That is for
/// [`check_capsule`](crate::check_capsule).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    members: Unlinked,
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
    /// The header of a capsule at `position` in a chain of the signer's agent; that of a claim unit is always a seed. A record
    /// has no World, anything else has one. [`sign_capsule`](crate::sign_capsule) makes the capsule.
    ///
    /// # Errors
    /// [`CapsuleError::HeaderTooLarge`] above 4 KiB, [`CapsuleError::BodyTooLarge`] when a body is larger than its kind may
    /// be, [`CapsuleError::Sequence`] for a claim unit at any other place, [`CapsuleError::Document`] for another World than
    /// the kind has.
    pub fn of(
        signer: &dyn Signer,
        position: &Position,
        payload: BodyRef,
        subject: (Kind<'_>, Option<&WorldId>),
    ) -> Result<Self, CapsuleError> {
        Unlinked::of(signer, position, payload, subject)?.link()
    }

    /// Reads a header: strict and byte for byte its own canonical form.
    ///
    /// # Errors
    /// The first thing that is wrong, in the order of [`Check`](crate::Check).
    pub fn parse(bytes: &[u8]) -> Result<Self, CapsuleError> {
        Unlinked::parse(bytes)?.link()
    }

    /// The canonical JSON, without signature: the bytes that [`hash`](Self::hash) is over.
    pub fn canonical(&self) -> &str {
        &self.members.text
    }

    /// Hash that the next capsule of the chain links to and that the entry names as `capsule`.
    pub const fn hash(&self) -> Blake3Hash {
        self.members.hash
    }

    /// Agent that wrote it, as the header states it.
    pub const fn agent(&self) -> DidKey {
        self.members.agent
    }

    /// Its name.
    pub const fn id(&self) -> CapsuleId {
        self.members.id
    }

    /// Chain of the capsule.
    pub const fn chain(&self) -> ChainId {
        self.members.chain
    }

    /// Its number in the chain, from 0 without gaps, at most 2^53 - 1.
    pub const fn seq(&self) -> u64 {
        self.members.seq
    }

    /// The hash of the capsule before it; `None` for a seed.
    pub const fn previous(&self) -> Option<Blake3Hash> {
        self.members.previous
    }

    /// Address, size and format of the delta against the capsule before it; `None` for a seed.
    pub const fn delta(&self) -> Option<&BodyRef> {
        self.members.delta.as_ref()
    }

    /// The protocol's `hash(previous || delta)`; `None` for a seed.
    pub const fn mutation(&self) -> Option<Blake3Hash> {
        self.members.mutation
    }

    /// Address and size of the payload.
    pub const fn payload(&self) -> &BodyRef {
        &self.members.payload
    }

    /// Time of writing by the writer's clock: transaction time.
    pub const fn timestamp(&self) -> Timestamp {
        self.members.timestamp
    }

    /// Time at which it was recorded, by the writer's clock: `ext.observed`, or else that of the header.
    pub fn recorded(&self) -> Timestamp {
        // The form was checked when the header was made.
        let observed = self.members.ext.get("observed").and_then(Value::as_str);
        let observed = observed.and_then(|text| text.parse().ok());
        observed.unwrap_or(self.members.timestamp)
    }

    /// Its times, for the capsule after it.
    pub fn times(&self) -> LastTimes {
        LastTimes {
            timestamp: self.timestamp(),
            recorded: self.recorded(),
        }
    }

    /// Returns whether the writer's clock was behind its last capsule, see [`Stamp::is_held`](crate::Stamp::is_held).
    pub fn is_held(&self) -> bool {
        self.members.ext.contains_key("clock")
    }

    /// The World whose content it holds.
    pub const fn world(&self) -> Option<&WorldId> {
        self.members.world.as_ref()
    }

    /// The number of the agent's key that signs it: 0 for the key that the agent is named after.
    pub fn key_number(&self) -> u64 {
        // The form was checked when the header was made.
        extensions::key_number(&self.members.ext).unwrap_or_default()
    }

    /// Members of `ext` that have a meaning here.
    pub fn extensions(&self) -> Extensions {
        Extensions::read(&self.members.ext).unwrap_or_default()
    }

    /// Tag under which the log counts it; `None` unless it is a claim unit or a record of trust that has one.
    pub fn line(&self) -> Option<Blake3Hash> {
        let is_counted = matches!(self.kind(), Kind::Claim | Kind::Record(RecordKind::Trust));
        is_counted.then(|| self.extensions().line).flatten()
    }

    /// Kind of the content.
    pub fn kind(&self) -> Kind<'_> {
        self.members.kind()
    }

    pub(crate) const fn members(&self) -> &Unlinked {
        &self.members
    }

    /// Extensions; empty when the header has no `ext`.
    pub const fn ext(&self) -> &Map {
        &self.members.ext
    }
}

impl Unlinked {
    /// The checks of sequence and mutation that need no other capsule.
    pub(crate) fn link(self) -> Result<Header, CapsuleError> {
        let (delta, mutation) = (&self.delta, self.mutation);
        match (self.seq, self.previous) {
            (0, None) if self.chain != ChainId::of_seed(self.id) => {
                Err(CapsuleError::Sequence("a chain is named after its seed"))
            }
            (0, None) if delta.is_some() || mutation.is_some() => Err(CapsuleError::Mutation(
                "a seed has neither delta nor mutation",
            )),
            (0, None) => Ok(Header { members: self }),
            (0, Some(_)) => Err(CapsuleError::Sequence("a seed has no previous capsule")),
            (_, None) => Err(CapsuleError::Sequence(
                "a capsule after the seed names the previous",
            )),
            _ if self.kind() == Kind::Claim => Err(CapsuleError::Sequence(
                "a claim unit begins its chain and ends it",
            )),
            (_, Some(previous)) => match (delta, mutation) {
                (Some(delta), Some(mutation))
                    if mutation == mutation_hash(&previous, &delta.hash()) =>
                {
                    Ok(Header { members: self })
                }
                (Some(_), Some(_)) => Err(CapsuleError::Mutation(
                    "mutation is not the hash of previous and delta",
                )),
                _ => Err(CapsuleError::Mutation(
                    "a capsule after the seed has delta and mutation",
                )),
            },
        }
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
        (kind, world): (Kind<'_>, Option<&WorldId>),
    ) -> Result<Self, CapsuleError> {
        let mut ext = position.ext();
        if signer.key_number() > 0 {
            ext.insert("key".into(), signer.key_number().into());
        }
        let kind = match (kind, world) {
            (Kind::World, Some(_)) => None,
            (Kind::Claim, Some(_)) => Some(CLAIM),
            (Kind::Record(kind), None) => Some(kind.name()),
            _ => {
                let must = "the World of a World or a claim unit, absent for a record";
                return Err(CapsuleError::at("header", "/world", must));
            }
        };
        ext.extend(kind.map(|kind| ("kind".into(), kind.into())));
        let (previous, delta) = position.follows.clone().unzip();
        let mut header = Self {
            agent: signer.agent(),
            id: position.id,
            chain: position.chain,
            seq: position.seq,
            previous,
            mutation: position
                .follows
                .as_ref()
                .map(|(previous, delta)| mutation_hash(previous, &delta.hash())),
            delta,
            payload,
            timestamp: position.timestamp(),
            world: world.cloned(),
            ext,
            text: alloc::string::String::new(),
            hash: Blake3Hash::from_bytes([0; 32]),
        };
        header.text = canonical(&header, None)?;
        header.hash = header_hash(header.text.as_bytes());
        header.within_limits()
    }
}

/// The `ext.kind` of a claim unit.
const CLAIM: &str = "claim";
