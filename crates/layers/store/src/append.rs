//! The one write path, for backends: seal drafts in order, inside the backend's transaction
//! (capsules C17, 4.4). A backend brings a [`Ledger`] and keeps what [`Appender`] hands it.

use std::collections::BTreeSet;

use counterfoil_capsule::{
    CapsuleError, CapsuleId, ChainId, Position, SealError, SealedCapsule, Signer, Stamp, Timestamp,
    World, seal_world,
};
use counterfoil_types::{Blake3Hash, DidKey, Sha256Hash, WorldId};

use crate::capsule_log::{
    AppendOutcome, Appended, Body, Draft, ExpectedHead, Head, MAX_DRAFTS, StoredCapsule,
};
use crate::delta;
use crate::log::Frontier;
use crate::{Clock, Entropy, StoreError};

/// What an append needs to know of the ground, and where it writes: the inside of one
/// transaction. All calls of one append see the rows that its earlier calls inserted.
pub trait Ledger {
    /// The log index of a World.
    ///
    /// # Errors
    /// When it cannot be read.
    fn index_of(&mut self, world_id: &WorldId) -> Result<Option<u64>, StoreError>;

    /// The capsule at an index that [`Ledger::index_of`] gave.
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
    /// The World, for derived state.
    pub world: &'a World,
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
        let mut appended = Vec::with_capacity(drafts.len());
        for draft in drafts {
            // What this draft depends on has to be in the ledger first.
            if run.precedes(draft) {
                self.write(ledger, rim, &mut run, &mut appended)?;
            }
            match self.existing(ledger, &draft.world)? {
                Some(existing) => {
                    self.write(ledger, rim, &mut run, &mut appended)?;
                    appended.push(existing);
                }
                None => run.push(rim.unsealed(ledger, draft, run.last)?),
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
        let unsealed = run.take();
        for (unsealed, sealed) in unsealed.iter().zip(seal_all(&unsealed, rim.signer)) {
            let sealed = sealed.map_err(|source| seal_error(&unsealed.draft.world, source))?;
            appended.push(self.insert(ledger, unsealed, &sealed)?);
        }
        Ok(())
    }

    /// The place of a World that is there already with the same content.
    fn existing(
        &self,
        ledger: &mut dyn Ledger,
        world: &World,
    ) -> Result<Option<Appended>, StoreError> {
        let Some(index) = ledger.index_of(world.world_id())? else {
            return Ok(None);
        };
        let stored = ledger.capsule(index)?;
        let content = content_of(world)?;
        if stored.payload.is_none_or(|payload| payload.text != content) {
            return Err(StoreError::WorldConflict {
                world_id: world.world_id().clone(),
                index,
            });
        }
        Ok(Some(Appended {
            world_id: world.world_id().clone(),
            index,
            tree_size: self.frontier.size(),
            capsule: stored.header.hash(),
            chain: stored.header.chain(),
            recorded_at: stored.header.timestamp(),
            outcome: AppendOutcome::AlreadyThere,
        }))
    }

    fn insert(
        &mut self,
        ledger: &mut dyn Ledger,
        unsealed: &Unsealed<'_>,
        sealed: &SealedCapsule,
    ) -> Result<Appended, StoreError> {
        let world = &unsealed.draft.world;
        let index = self.frontier.size();
        let hashes = self.frontier.append(sealed.entry.leaf_hash());
        let delta = unsealed.delta.as_ref();
        ledger.insert(&NewCapsule {
            index,
            world,
            sealed,
            delta,
            hashes: &hashes,
        })?;
        Ok(Appended {
            world_id: world.world_id().clone(),
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
    worlds: BTreeSet<&'d WorldId>,
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
        self.worlds.insert(unsealed.draft.world.world_id());
        self.unsealed.push(unsealed);
    }

    /// Whether something in the run has to be written before `draft` can be looked at.
    fn precedes(&self, draft: &Draft) -> bool {
        draft.expected != ExpectedHead::NewChain || self.worlds.contains(draft.world.world_id())
    }

    fn take(&mut self) -> Vec<Unsealed<'d>> {
        self.worlds.clear();
        core::mem::take(&mut self.unsealed)
    }
}

/// Fewer than this are not worth a thread.
const SEALS_PER_THREAD: usize = 16;
/// More threads would only take cores from others.
const MAX_THREADS: usize = 4;

type Sealed = Result<SealedCapsule, SealError>;

/// Seals in parallel when there are many: a signature costs more than all other work on an entry.
fn seal_all(unsealed: &[Unsealed<'_>], signer: &dyn Signer) -> Vec<Sealed> {
    let threads = (unsealed.len() / SEALS_PER_THREAD).clamp(1, MAX_THREADS);
    let per_thread = unsealed.len().div_ceil(threads).max(1);
    let (own, others) = unsealed.split_at(per_thread.min(unsealed.len()));
    std::thread::scope(|scope| {
        let others: Vec<_> = others
            .chunks(per_thread)
            .map(|part| {
                let thread = std::thread::Builder::new();
                (
                    part,
                    thread
                        .spawn_scoped(scope, move || seal_part(part, signer))
                        .ok(),
                )
            })
            .collect();
        let mut sealed = seal_part(own, signer);
        for (part, thread) in others {
            // A thread that did not start or did not end well is made up for here.
            let done = thread.and_then(|thread| thread.join().ok());
            sealed.extend(done.unwrap_or_else(|| seal_part(part, signer)));
        }
        sealed
    })
}

fn seal_part(unsealed: &[Unsealed<'_>], signer: &dyn Signer) -> Vec<Sealed> {
    let seal = |unsealed: &Unsealed<'_>| {
        seal_world(
            &unsealed.draft.world,
            &unsealed.position,
            unsealed.salt,
            signer,
        )
    };
    unsealed.iter().map(seal).collect()
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
    fn random<const BYTES: usize>(&self) -> Result<[u8; BYTES], StoreError> {
        let mut bytes = [0; BYTES];
        self.entropy
            .fill(&mut bytes)
            .map_err(|error| StoreError::Unavailable {
                doing: "drawing random bytes",
                detail: error.detail,
            })?;
        Ok(bytes)
    }

    /// A draft with its place in its chain and in time, and what it changes there. `last` is the
    /// time of the agent's last record, if it is known already (I2, C5).
    fn unsealed<'d>(
        &self,
        ledger: &mut dyn Ledger,
        draft: &'d Draft,
        last: Option<Timestamp>,
    ) -> Result<Unsealed<'d>, StoreError> {
        let last = match last {
            Some(last) => Some(last),
            None => ledger.last_recorded(&self.signer.agent())?,
        };
        let now_us = self.clock.now_micros();
        let stamp = Stamp::next(now_us, last).map_err(StoreError::ClockImplausible)?;
        let id = CapsuleId::from_parts(now_us / 1000, self.random()?);
        let (position, delta) = match draft.expected {
            ExpectedHead::NewChain => (Position::seed(id, stamp), None),
            ExpectedHead::At { chain, head } => {
                let before = self.predecessor(ledger, &chain, head)?;
                let refused = |error| seal_error(&draft.world, SealError::Header(error));
                let delta = delta::between(&before, &draft.world, self.random()?)
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
            position,
            delta,
            salt: self.random()?,
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
        .map_err(|source: CapsuleError| seal_error(world, SealError::Content(source)))
}

fn seal_error(world: &World, source: SealError) -> StoreError {
    StoreError::Seal {
        world_id: world.world_id().clone(),
        source,
    }
}
