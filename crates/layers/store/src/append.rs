//! The one write path, for backends: seal drafts in order, inside the backend's transaction
//! (capsules C17, 4.4). A backend brings a [`Ledger`] and keeps what [`Appender`] hands it.

mod random;
mod sealing;

use counterfoil_capsule::{
    CapsuleError, CapsuleId, ChainId, Position, SealError, SealedCapsule, Signer, Stamp, Timestamp,
    World,
};
use counterfoil_types::{Blake3Hash, DidKey, Sha256Hash, WorldId};

use crate::capsule_log::{
    AppendOutcome, Appended, Body, Draft, ExpectedHead, Head, MAX_DRAFTS, StoredCapsule, Subject,
};
use crate::delta;
use crate::log::Frontier;
use crate::{Clock, Entropy, StoreError};
use random::Random;
use sealing::seal_each;

/// What an append needs to know of the ground, and where it writes: the inside of one
/// transaction. All calls of one append see the rows that its earlier calls inserted.
pub trait Ledger {
    /// Notes that the World is to stand at `index`, unless it stands somewhere already: then its
    /// index. [`Ledger::insert`] follows for each index that was claimed, in the order of the
    /// claims, unless the whole append fails.
    ///
    /// # Errors
    /// When it cannot be read or written.
    fn claim(&mut self, world_id: &WorldId, index: u64) -> Result<Option<u64>, StoreError>;

    /// The capsule at an index that [`Ledger::claim`] or [`Ledger::head`] gave.
    ///
    /// # Errors
    /// When it cannot be read, or is not there.
    fn capsule(&mut self, index: u64) -> Result<StoredCapsule, StoreError>;

    /// The last capsule of a chain.
    ///
    /// # Errors
    /// When it cannot be read.
    fn head(&mut self, chain: &ChainId) -> Result<Option<Head>, StoreError>;

    /// The latest time at which something of `agent` was recorded, over all its chains.
    ///
    /// # Errors
    /// When it cannot be read.
    fn last_recorded(&mut self, agent: &DidKey) -> Result<Option<Timestamp>, StoreError>;

    /// Keeps a capsule at the end of the log.
    ///
    /// # Errors
    /// When it cannot be written; the backend then undoes the whole append.
    fn insert(&mut self, new: &NewCapsule<'_>) -> Result<(), StoreError>;
}

/// All that there is to keep of one new entry.
#[derive(Debug)]
pub struct NewCapsule<'a> {
    /// Its index in the log.
    pub index: u64,
    /// What it is of, for derived state.
    pub subject: &'a Subject,
    /// The sealed capsule.
    pub sealed: &'a SealedCapsule,
    /// What changed against the capsule before it; `None` for the first of a chain.
    pub delta: Option<&'a Body>,
    /// The hashes of the subtrees that the entry completes, the leaf hash first.
    pub hashes: &'a [Sha256Hash],
}

/// Appends to a log whose right edge it holds. It lives as long as one transaction.
#[derive(Debug)]
pub struct Appender {
    frontier: Frontier,
}

impl Appender {
    /// Continues the log that ends with `frontier`.
    #[must_use]
    pub const fn new(frontier: Frontier) -> Self {
        Self { frontier }
    }

    /// The log with all that was appended so far.
    #[must_use]
    pub const fn frontier(&self) -> &Frontier {
        &self.frontier
    }

    /// Seals the drafts and inserts them. After an error nothing of this append counts: this
    /// value is as before, and the backend undoes what was inserted.
    ///
    /// `tree_size` of the answers is the size after this append. A backend that commits several
    /// appends at once sets it to the size it signs.
    ///
    /// # Errors
    /// Those of [`CapsuleLog::append`](crate::CapsuleLog::append).
    pub fn append(
        &mut self,
        ledger: &mut dyn Ledger,
        rim: Rim<'_>,
        drafts: &[Draft],
    ) -> Result<Vec<Appended>, StoreError> {
        if drafts.len() > MAX_DRAFTS {
            return Err(StoreError::TooManyDrafts {
                drafts: drafts.len(),
                limit: MAX_DRAFTS,
            });
        }
        let before = self.frontier.clone();
        let appended = self.append_all(ledger, rim, drafts);
        if appended.is_err() {
            self.frontier = before;
        }
        appended
    }

    fn append_all(
        &mut self,
        ledger: &mut dyn Ledger,
        rim: Rim<'_>,
        drafts: &[Draft],
    ) -> Result<Vec<Appended>, StoreError> {
        let mut run = Run::default();
        let mut random = Random::new(rim.entropy, drafts.len());
        let mut appended = Vec::with_capacity(drafts.len());
        for draft in drafts {
            // What this draft follows has to be in the ledger first.
            if draft.expected != ExpectedHead::NewChain {
                self.write(ledger, rim, &mut run, &mut appended)?;
            }
            let index = self.frontier.size() + run.len();
            let claimed = match draft.world() {
                Some(world) => ledger
                    .claim(world.world_id(), index)?
                    .map(|existing| (world, existing)),
                None => None,
            };
            match claimed {
                Some((world, existing)) => {
                    self.write(ledger, rim, &mut run, &mut appended)?;
                    appended.push(self.existing(ledger, world, existing)?);
                }
                None => run.push(rim.unsealed(ledger, draft, &mut random, run.last)?),
            }
        }
        self.write(ledger, rim, &mut run, &mut appended)?;
        let tree_size = self.frontier.size();
        appended
            .iter_mut()
            .for_each(|place| place.tree_size = tree_size);
        Ok(appended)
    }

    /// Seals a run and inserts it in its order.
    fn write(
        &mut self,
        ledger: &mut dyn Ledger,
        rim: Rim<'_>,
        run: &mut Run<'_>,
        appended: &mut Vec<Appended>,
    ) -> Result<(), StoreError> {
        seal_each(&run.take(), rim.signer, |unsealed, sealed| {
            let (sealed, leaf) = sealed
                .as_ref()
                .map_err(|source| seal_error(unsealed.draft, source.clone()))?;
            appended.push(self.insert(ledger, unsealed, sealed, *leaf)?);
            Ok(())
        })
    }

    /// The place of a World that is there already with the same content.
    fn existing(
        &self,
        ledger: &mut dyn Ledger,
        world: &World,
        index: u64,
    ) -> Result<Appended, StoreError> {
        let stored = ledger.capsule(index)?;
        let content = content_of(world)?;
        if stored.payload.is_none_or(|payload| payload.text != content) {
            return Err(StoreError::WorldConflict {
                world_id: world.world_id().clone(),
                index,
            });
        }
        Ok(Appended {
            world_id: Some(world.world_id().clone()),
            index,
            tree_size: self.frontier.size(),
            capsule: stored.header.hash(),
            chain: stored.header.chain(),
            recorded_at: stored.header.timestamp(),
            outcome: AppendOutcome::AlreadyThere,
        })
    }

    fn insert(
        &mut self,
        ledger: &mut dyn Ledger,
        unsealed: &Unsealed<'_>,
        sealed: &SealedCapsule,
        leaf: Sha256Hash,
    ) -> Result<Appended, StoreError> {
        let index = self.frontier.size();
        let hashes = self.frontier.append(leaf);
        let delta = unsealed.delta.as_ref();
        ledger.insert(&NewCapsule {
            index,
            subject: &unsealed.draft.subject,
            sealed,
            delta,
            hashes: &hashes,
        })?;
        Ok(Appended {
            world_id: unsealed.draft.world().map(World::world_id).cloned(),
            index,
            tree_size: self.frontier.size(),
            capsule: sealed.header.hash(),
            chain: sealed.header.chain(),
            recorded_at: sealed.header.timestamp(),
            outcome: AppendOutcome::New,
        })
    }
}

/// Drafts that are ready to be sealed: none depends on another, so they can be sealed at once.
#[derive(Default)]
struct Run<'d> {
    unsealed: Vec<Unsealed<'d>>,
    /// When the last one is recorded, this run or an earlier one of the append.
    last: Option<Timestamp>,
}

/// A draft with all that its capsule holds but the seal.
struct Unsealed<'d> {
    draft: &'d Draft,
    position: Position,
    delta: Option<Body>,
    salt: [u8; 32],
}

impl<'d> Run<'d> {
    fn push(&mut self, unsealed: Unsealed<'d>) {
        self.last = Some(unsealed.position.timestamp());
        self.unsealed.push(unsealed);
    }

    fn len(&self) -> u64 {
        u64::try_from(self.unsealed.len()).unwrap_or(u64::MAX)
    }

    fn take(&mut self) -> Vec<Unsealed<'d>> {
        core::mem::take(&mut self.unsealed)
    }
}

/// What an append draws on from outside: who signs, the time, and randomness.
#[derive(Clone, Copy)]
pub struct Rim<'a> {
    /// The agent in whose name the capsules are sealed.
    pub signer: &'a dyn Signer,
    /// The present time.
    pub clock: &'a dyn Clock,
    /// Salts and ids.
    pub entropy: &'a dyn Entropy,
}

impl Rim<'_> {
    /// A draft with its place in its chain and in time, and what it changes there. `last` is the
    /// time of the agent's last record, if it is known already (I2, C5).
    fn unsealed<'d>(
        &self,
        ledger: &mut dyn Ledger,
        draft: &'d Draft,
        random: &mut Random<'_>,
        last: Option<Timestamp>,
    ) -> Result<Unsealed<'d>, StoreError> {
        let last = match last {
            // A chain that continues one whose clock ran ahead begins its time anew (C39).
            _ if draft.extensions.continues.is_some() => None,
            Some(last) => Some(last),
            None => ledger.last_recorded(&self.signer.agent())?,
        };
        let now_us = self.clock.now_micros();
        let stamp = Stamp::next(now_us, last).map_err(StoreError::ClockImplausible)?;
        let id = CapsuleId::from_parts(now_us / 1000, random.take()?);
        let (position, delta) = match draft.expected {
            ExpectedHead::NewChain => (Position::seed(id, stamp), None),
            ExpectedHead::At { chain, head } => {
                let before = self.predecessor(ledger, &chain, head)?;
                let refused = |error| seal_error(draft, SealError::Header(error));
                let delta = delta::between(&before, draft, random.take()?)
                    .map_err(refused)?
                    .ok_or(StoreError::ContentErased { chain })?;
                let named = delta::named(&delta).map_err(refused)?;
                (
                    Position::after(&before.header, named, id, stamp),
                    Some(delta),
                )
            }
        };
        Ok(Unsealed {
            draft,
            position: position.with(draft.extensions.clone()),
            delta,
            salt: random.take()?,
        })
    }

    /// The capsule that the next one follows, if `head` is the end of a chain of this agent (C15,
    /// C17).
    fn predecessor(
        &self,
        ledger: &mut dyn Ledger,
        chain: &ChainId,
        head: Blake3Hash,
    ) -> Result<StoredCapsule, StoreError> {
        let moved = |actual| StoreError::HeadMoved {
            chain: *chain,
            expected: head,
            actual,
        };
        let last = ledger.head(chain)?.ok_or_else(|| moved(None))?;
        if last.agent != self.signer.agent() {
            return Err(StoreError::ForeignChain { chain: *chain });
        }
        if last.capsule != head {
            return Err(moved(Some(last.capsule)));
        }
        ledger.capsule(last.index)
    }
}

fn content_of(world: &World) -> Result<String, StoreError> {
    world
        .content()
        .map_err(|source: CapsuleError| StoreError::Seal {
            subject: world.world_id().to_string(),
            source: SealError::Content(source),
        })
}

fn seal_error(draft: &Draft, source: SealError) -> StoreError {
    let subject = match &draft.subject {
        Subject::World(world) => world.world_id().to_string(),
        Subject::Record { kind, .. } => format!("{kind} record"),
    };
    StoreError::Seal { subject, source }
}
