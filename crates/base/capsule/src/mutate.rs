//! `mutate_capsule(capsule, delta)`: the next version of a capsule, sealed; with its undoing and its
//! derivation by others (CAP "Mutation"; capsules 4.3, C15).

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::json::{self, Value};
use counterfoil_types::{Blake3Hash, DidKey, UnixMillis, WorldId};

use crate::delta::{self, Change, Delta, DeltaError};
use crate::digest::payload_hash;
use crate::error::{CapsuleError, SealError};
use crate::exported::{CapsuleDocument, SaltedBody};
use crate::extensions::Extensions;
use crate::header::Position;
use crate::header::{BodyRef, Header, Kind};
use crate::id::CapsuleId;
use crate::key::Signer;
use crate::seal::{SealedCapsule, seal_record, seal_world};
use crate::stamp::Stamp;
use crate::state::with_identity;
use crate::world::World;

/// A capsule with its content at hand.
#[derive(Clone, Copy)]
pub struct Version<'a> {
    /// Its header.
    pub header: &'a Header,
    /// Its content: what its payload says.
    pub content: &'a Value,
}

/// External inputs of the new capsule: there is neither clock nor randomness here.
pub struct Terms<'a> {
    /// Its name.
    pub id: CapsuleId,
    /// Time of writing; later than the capsule before.
    pub stamp: Stamp,
    /// 32 fresh random bytes for its content.
    pub salt: [u8; 32],
    /// 32 fresh random bytes for its delta.
    pub delta_salt: [u8; 32],
    /// Under which name the new version of a World goes, and when it came to be. Not used for a
    /// record.
    pub identity: (WorldId, UnixMillis),
    /// Agent that writes it.
    pub signer: &'a dyn Signer,
}

/// A new capsule with its bodies. Nothing is written anywhere yet.
#[derive(Debug, Clone)]
pub struct Mutated {
    /// The capsule.
    pub sealed: SealedCapsule,
    /// Its content.
    pub content: Value,
    /// Delta against the capsule before it; `None` for the first of a chain.
    pub delta: Option<SaltedBody>,
}

impl Mutated {
    /// As the predecessor of the next one.
    #[must_use]
    pub const fn version(&self) -> Version<'_> {
        Version {
            header: &self.sealed.header,
            content: &self.content,
        }
    }

    /// As it is exported.
    #[must_use]
    pub fn to_document(&self) -> CapsuleDocument {
        CapsuleDocument::of(&self.sealed, self.delta.clone())
    }
}

/// There is no next version. Nothing was signed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MutateError {
    /// A chain has one writer (C15).
    #[error("the chain is that of {owner} and not of {signer}; derive a chain of your own from it")]
    ForeignChain {
        /// Agent that writes the chain.
        owner: DidKey,
        /// Agent that signs.
        signer: DidKey,
    },
    /// A claim unit begins its chain and ends it, and what it says stays a claim.
    #[error("the capsule is a claim, and nothing follows a claim; assert something of it instead")]
    Claim,
    /// The key that signs was rotated away from.
    #[error(
        "key number {number} signs, the capsule before has {before}; sign with the current key"
    )]
    KeyNotAuthorised {
        /// The number of the key that signs.
        number: u64,
        /// The number of the key that signed the capsule before.
        before: u64,
    },
    /// Time only grows along a chain.
    #[error("the stamp is not later than the capsule before; make it with Stamp::next")]
    Chronology,
    /// The delta is one of another version.
    #[error(transparent)]
    Delta(#[from] DeltaError),
    /// The result is no World, or too large.
    #[error(transparent)]
    Content(#[from] CapsuleError),
    /// It could not be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The version to go back to is not an earlier one of this chain.
    #[error("{target} is no earlier version of this chain; name one of its history")]
    NotEarlier {
        /// Version that was named.
        target: Blake3Hash,
    },
    /// A delta on the way back is erased, archived, or cannot be undone.
    #[error(
        "the delta of version {seq} is not there, so nothing before it can be restored by undoing; restore its archive, or go back to a later version"
    )]
    RollbackUnavailable {
        /// The number of the version whose delta is missing.
        seq: u64,
    },
}

/// The capsule after `capsule`, whose content is what `delta` makes of it.
///
/// A new version of a World gets a name and a time of its own (`terms.identity`), and its
/// `snapshotHash` follows its `data` unless the delta says otherwise. The delta that is sealed leads
/// from the one content to the other, identity included; where it would be larger than a delta may
/// be, the change is named by both addresses (`replace/1`).
///
/// # Errors
/// See [`MutateError`].
pub fn mutate_capsule(
    capsule: &Version<'_>,
    delta: &Delta,
    terms: &Terms<'_>,
) -> Result<Mutated, MutateError> {
    no_claim(capsule.header)?;
    let content = changed(capsule, delta, terms)?;
    extend(capsule, content, Extensions::default(), terms)
}

/// The capsule after `head` that restores the state of `target`, an earlier version of the chain.
/// What came between stays in the chain: nothing is rewound, and the rollback can itself be undone.
///
/// `newest_first` are the deltas that led to `head`, back to the one after `target`; `None` for
/// a delta that is not there.
///
/// # Errors
/// [`MutateError::NotEarlier`], [`MutateError::RollbackUnavailable`], and as [`mutate_capsule`].
pub fn rollback_to<'d>(
    head: &Version<'_>,
    target: &Header,
    newest_first: impl IntoIterator<Item = Option<&'d Delta>>,
    terms: &Terms<'_>,
) -> Result<Mutated, MutateError> {
    no_claim(head.header)?;
    let (from, to) = (head.header.seq(), target.seq());
    if target.chain() != head.header.chain() || to >= from || head.header.world().is_none() {
        let target = target.hash();
        return Err(MutateError::NotEarlier { target });
    }
    let mut deltas = newest_first.into_iter();
    let steps = ((to + 1)..=from).rev().map(|seq| {
        let delta = deltas.next().flatten();
        delta.ok_or(MutateError::RollbackUnavailable { seq })
    });
    let steps: Vec<&Delta> = steps.collect::<Result<_, _>>()?;
    let restored = delta::roll_back(head.content, steps)?;
    let content = identified(&restored, terms)?;
    let extensions = Extensions {
        rollback_to: Some(target.hash()),
        ..Extensions::default()
    };
    extend(head, content, extensions, terms)
}

/// The first capsule of a new chain, made from one that may be another agent's: who does not write a
/// chain derives from it (C15).
///
/// # Errors
/// As [`mutate_capsule`].
pub fn derive(
    source: &Version<'_>,
    delta: &Delta,
    terms: &Terms<'_>,
) -> Result<Mutated, MutateError> {
    no_claim(source.header)?;
    let content = changed(source, delta, terms)?;
    let extensions = Extensions {
        derived_from: alloc::vec![source.header.hash()],
        ..Extensions::default()
    };
    let position = Position::seed(terms.id, terms.stamp).with(extensions);
    seal(source.header.kind(), content, &position, None, terms)
}

fn changed(capsule: &Version<'_>, delta: &Delta, terms: &Terms<'_>) -> Result<Value, MutateError> {
    let mut content = delta.apply(capsule.content)?;
    if capsule.header.world().is_none() {
        return Ok(content);
    }
    follow_data(capsule.content, &mut content)?;
    identified(&content, terms)
}

fn identified(content: &Value, terms: &Terms<'_>) -> Result<Value, MutateError> {
    let (world, created_at) = &terms.identity;
    Ok(with_identity(content, world, *created_at)?)
}

/// A memory's `snapshotHash` is that of its `data`; of other schemas it is its maker's business.
fn follow_data(before: &Value, after: &mut Value) -> Result<(), CapsuleError> {
    let kept = |member: &str| before.get(member) == after.get(member);
    let schema = after.get("schemaHash").and_then(Value::as_str);
    let ours = schema == Some(World::memory_schema_hash().as_str());
    if !ours || kept("data") || !kept("snapshotHash") {
        return Ok(());
    }
    let hash = World::memory_snapshot_hash(after.get("data").unwrap_or(&Value::Null))?;
    if let Some(members) = after.as_object_mut() {
        members.insert(String::from("snapshotHash"), hash.into());
    }
    Ok(())
}

fn extend(
    before: &Version<'_>,
    content: Value,
    extensions: Extensions,
    terms: &Terms<'_>,
) -> Result<Mutated, MutateError> {
    may_follow(before.header, terms)?;
    let (body, named) = delta_between(before, &content, terms)?;
    let position = Position::after(before.header, named, terms.id, terms.stamp).with(extensions);
    seal(before.header.kind(), content, &position, Some(body), terms)
}

fn no_claim(header: &Header) -> Result<(), MutateError> {
    match header.kind() {
        Kind::Claim => Err(MutateError::Claim),
        _ => Ok(()),
    }
}

fn may_follow(before: &Header, terms: &Terms<'_>) -> Result<(), MutateError> {
    let (owner, signer) = (before.agent(), terms.signer.agent());
    if owner != signer {
        return Err(MutateError::ForeignChain { owner, signer });
    }
    let (number, last) = (terms.signer.key_number(), before.key_number());
    if number < last {
        let before = last;
        return Err(MutateError::KeyNotAuthorised { number, before });
    }
    if terms.stamp.timestamp() <= before.timestamp() {
        return Err(MutateError::Chronology);
    }
    Ok(())
}

fn delta_between(
    before: &Version<'_>,
    content: &Value,
    terms: &Terms<'_>,
) -> Result<(SaltedBody, BodyRef), MutateError> {
    let salt = terms.delta_salt;
    let (text, format) = match delta::normalise(before.content, Change::Replacement(content)) {
        Ok(delta) => (delta.canonical()?, delta::FORMAT),
        Err(DeltaError::TooLarge { .. }) => {
            let new = json::canonical(content).map_err(|source| CapsuleError::Json {
                what: "content",
                source,
            })?;
            let new = payload_hash(&terms.salt, new.as_bytes());
            let old = before.header.payload().hash();
            (delta::replacement(&old, &new), delta::REPLACE_FORMAT)
        }
        Err(error) => return Err(error.into()),
    };
    let named = BodyRef::delta(&salt, &text, format)?;
    Ok((SaltedBody { text, salt }, named))
}

fn seal(
    kind: Kind<'_>,
    content: Value,
    position: &Position,
    delta: Option<SaltedBody>,
    terms: &Terms<'_>,
) -> Result<Mutated, MutateError> {
    let sealed = match kind {
        Kind::Record(kind) => seal_record(kind, &content, position, terms.salt, terms.signer)?,
        _ => {
            let world = World::try_from(content.clone())?;
            seal_world(&world, position, terms.salt, terms.signer)?
        }
    };
    Ok(Mutated {
        sealed,
        content,
        delta,
    })
}
