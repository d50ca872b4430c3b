//! Seals many drafts on several threads: a signature costs as much as all rows of an entry. The first drafts are sealed
//! while the headers of the next ones are made, which each depend on the one before, and written while the last are sealed.

use std::mem;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, Weak};
use std::thread;

use counterfoil_capsule::{CapsuleError, Signer, sign_capsule};
use counterfoil_types::Sha256Hash;

use super::{PackedTexts, Packer, Unsealed};
use crate::StoredCapsule;

/// A capsule with all that takes long to make of it.
pub(super) struct Sealed {
    pub(super) capsule: StoredCapsule,
    /// Its leaf of the log.
    pub(super) leaf: Sha256Hash,
    pub(super) packed: PackedTexts,
}

type Outcome = Result<Sealed, CapsuleError>;

/// Drafts that are sealed at a time.
const CHUNK: usize = 8;
/// Fewer chunks than this for a thread are not worth it.
const CHUNKS_PER_THREAD: usize = 4;
/// Threads beside the one that writes: three, or as many as there are cores for. More would only take them from it.
static MAX_HELPERS: LazyLock<usize> = LazyLock::new(|| {
    let cores = thread::available_parallelism();
    cores.map_or(3, |cores| cores.get() - 1).min(3)
});

/// Runs `append` beside the threads that help to seal about `count` drafts.
pub(super) fn with_helpers<'d, T>(
    count: usize,
    signer: &dyn Signer,
    pack: Packer,
    append: impl FnOnce(&mut Sealing<'_, 'd>) -> T,
) -> T {
    let (queue, waiting) = mpsc::channel::<Weak<Chunk<'d>>>();
    let waiting = Mutex::new(waiting);
    let next = || waiting.lock().ok()?.recv().ok();
    let help = || {
        while let Some(chunk) = next() {
            // After an error nobody needs the rest.
            if let Some(chunk) = chunk.upgrade() {
                chunk.sealed(signer, pack);
            }
        }
    };
    let helpers = match count / CHUNK / CHUNKS_PER_THREAD {
        0 => 0,
        wanted => wanted.min(*MAX_HELPERS),
    };
    thread::scope(|scope| {
        // Its end ends the threads, in a panic too.
        let mut sealing = Sealing {
            signer,
            pack,
            next: Vec::new(),
            chunks: Vec::new(),
            queue,
            waiting: &waiting,
        };
        let threads: Vec<_> = (0..helpers)
            .map(|_| thread::Builder::new().spawn_scoped(scope, help))
            .collect();
        let appended = append(&mut sealing);
        drop(sealing);
        // A thread that did not start or did not end well has been made up for.
        for thread in threads.into_iter().flatten() {
            drop(thread.join());
        }
        appended
    })
}

/// Drafts that are being sealed, in their order. None depends on another but by its header, which is made.
pub(super) struct Sealing<'s, 'd> {
    signer: &'s dyn Signer,
    pack: Packer,
    /// The last drafts, not yet a chunk.
    next: Vec<Unsealed<'d>>,
    chunks: Vec<Arc<Chunk<'d>>>,
    /// Chunks for any thread to take; as many at most as there are drafts of one append.
    queue: Sender<Weak<Chunk<'d>>>,
    waiting: &'s Mutex<Receiver<Weak<Chunk<'d>>>>,
}

impl<'d> Sealing<'_, 'd> {
    /// Number of drafts that no `keep` has got yet.
    pub(super) fn len(&self) -> u64 {
        let count = self.chunks.len() * CHUNK + self.next.len();
        u64::try_from(count).unwrap_or(u64::MAX)
    }

    pub(super) fn push(&mut self, unsealed: Unsealed<'d>) {
        self.next.push(unsealed);
        if self.next.len() == CHUNK {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        if self.next.is_empty() {
            return;
        }
        let chunk = Arc::new(Chunk {
            unsealed: mem::take(&mut self.next),
            sealed: OnceLock::new(),
        });
        // There is a receiver as long as this value.
        drop(self.queue.send(Arc::downgrade(&chunk)));
        self.chunks.push(chunk);
    }

    /// Gives each draft to `keep`, in their order, on the thread of the caller. The first error of `keep` ends it.
    ///
    /// Capsules are dropped at the end: freeing memory while other threads seal would make
    /// the threads wait for each other.
    pub(super) fn keep_each<E>(
        &mut self,
        mut keep: impl FnMut(&Unsealed<'d>, &Outcome) -> Result<(), E>,
    ) -> Result<(), E> {
        self.hand_over();
        let chunks = mem::take(&mut self.chunks);
        chunks.iter().try_for_each(|chunk| {
            // While another thread is at it, others are sealed.
            while chunk.sealed.get().is_none()
                && let Some(other) = self
                    .waiting
                    .try_lock()
                    .ok()
                    .and_then(|it| it.try_recv().ok())
            {
                if let Some(other) = other.upgrade() {
                    other.sealed(self.signer, self.pack);
                }
            }
            let sealed = chunk.sealed(self.signer, self.pack);
            let mut pairs = chunk.unsealed.iter().zip(sealed);
            pairs.try_for_each(|(unsealed, sealed)| keep(unsealed, sealed))
        })
    }
}

/// Drafts that one thread seals.
struct Chunk<'d> {
    unsealed: Vec<Unsealed<'d>>,
    sealed: OnceLock<Vec<Outcome>>,
}

impl Chunk<'_> {
    /// Seals the drafts, or waits for the thread that is at it; one that panics is made up for.
    fn sealed(&self, signer: &dyn Signer, pack: Packer) -> &[Outcome] {
        let seal = |unsealed| seal(unsealed, signer, pack);
        self.sealed
            .get_or_init(|| self.unsealed.iter().map(seal).collect())
    }
}

fn seal(unsealed: &Unsealed<'_>, signer: &dyn Signer, pack: Packer) -> Outcome {
    let content = unsealed.draft.value();
    let sealed = sign_capsule(unsealed.unsigned.clone(), content, unsealed.salt, signer)?;
    let capsule = StoredCapsule::new(unsealed.index, sealed, unsealed.delta.clone());
    Ok(Sealed {
        leaf: capsule.entry.leaf_hash(),
        packed: pack(&capsule),
        capsule,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use counterfoil_capsule::{
        AgentSigner, BodyRef, CapsuleId, Header, Position, SecretKey, Stamp,
    };
    use counterfoil_types::{DidKey, UnixMillis, WorldId};

    use super::*;
    use crate::Draft;

    const START_US: u64 = 1_772_323_200_000_000;

    fn drafts(count: usize) -> Vec<Draft> {
        let at = UnixMillis::new(1).unwrap();
        let world = |number| WorldId::new(format!("w-{number}")).unwrap();
        (0..count)
            .map(|number| counterfoil_capsule::remember(world(number), at, number.into()).unwrap())
            .map(Draft::new)
            .collect()
    }

    fn unsealed<'d>(drafts: &'d [Draft], signer: &dyn Signer) -> Vec<Unsealed<'d>> {
        let stamp = Stamp::next(START_US, None).unwrap();
        let position = Position::seed(CapsuleId::from_parts(1, [1; 10]), stamp);
        let unsealed = |(index, draft): (u64, &'d Draft)| {
            let content = draft.content().unwrap();
            let body = BodyRef::payload(&[2; 32], &content);
            let header = Header::of(signer, &position, body, draft.kind()).unwrap();
            Unsealed {
                draft,
                index,
                unsigned: (header, content),
                delta: None,
                salt: [2; 32],
            }
        };
        (0..).zip(drafts).map(unsealed).collect()
    }

    /// Seals in two parts, so that the second one finds what the first has left.
    fn seal_each<'d>(
        drafts: &'d [Draft],
        signer: &dyn Signer,
        mut keep: impl FnMut(&Unsealed<'d>, &Outcome) -> Result<(), &'static str>,
    ) -> Result<(), &'static str> {
        let mut unsealed = unsealed(drafts, signer);
        let second = unsealed.split_off(drafts.len() / 3);
        with_helpers(drafts.len(), signer, pack, |sealing| {
            for part in [unsealed, second] {
                let count = u64::try_from(part.len()).unwrap();
                part.into_iter().for_each(|unsealed| sealing.push(unsealed));
                assert_eq!(sealing.len(), count);
                sealing.keep_each(&mut keep)?;
            }
            Ok(())
        })
    }

    fn pack(capsule: &StoredCapsule) -> PackedTexts {
        let payload = capsule.payload.clone().unwrap();
        (None, Some(payload.text.into_bytes()))
    }

    /// The WorldIds in the order in which they were kept.
    fn kept(drafts: &[Draft], signer: &dyn Signer) -> Vec<WorldId> {
        let mut kept = Vec::new();
        seal_each(drafts, signer, |unsealed, sealed| {
            let sealed = sealed.as_ref().unwrap();
            let (capsule, world) = (&sealed.capsule, unsealed.draft.world().unwrap());
            assert_eq!(sealed.packed, pack(capsule));
            assert_eq!(capsule.entry.world(), Some(world.world_id()));
            assert_eq!(capsule.entry.leaf_hash(), sealed.leaf);
            assert_eq!(capsule.index, unsealed.index);
            kept.push(world.world_id().clone());
            Ok(())
        })
        .unwrap();
        kept
    }

    fn ids(drafts: &[Draft]) -> Vec<WorldId> {
        let ids = drafts
            .iter()
            .map(|draft| draft.world().unwrap().world_id().clone());
        ids.collect()
    }

    #[test]
    fn all_are_kept_once_and_in_order() {
        let agent = AgentSigner::new(SecretKey::from_seed([3; 32]));
        for count in [0, 1, 7, 8, 9, 64, 1_000] {
            let drafts = drafts(count);
            assert_eq!(kept(&drafts, &agent), ids(&drafts), "{count}");
        }
    }

    #[test]
    fn the_first_refusal_ends_it() {
        let agent = AgentSigner::new(SecretKey::from_seed([3; 32]));
        let drafts = drafts(500);
        let mut seen = 0;
        let refused = seal_each(&drafts, &agent, |_, _| {
            seen += 1;
            if seen == 40 { Err("full") } else { Ok(()) }
        });
        assert_eq!((refused, seen), (Err("full"), 40));
    }

    /// Panics on the first thread beside `caller` that asks for a signature.
    struct Fragile {
        agent: AgentSigner,
        caller: thread::ThreadId,
        broken: AtomicBool,
    }

    impl Signer for Fragile {
        fn agent(&self) -> DidKey {
            self.agent.agent()
        }

        fn sign(&self, message: &[u8]) -> [u8; 64] {
            let beside = thread::current().id() != self.caller;
            assert!(
                !beside || self.broken.swap(true, Ordering::SeqCst),
                "a helper that ends badly"
            );
            self.agent.sign(message)
        }
    }

    #[test]
    fn what_a_thread_owes_that_ended_badly_is_made_up_for() {
        let fragile = Fragile {
            agent: AgentSigner::new(SecretKey::from_seed([3; 32])),
            caller: thread::current().id(),
            broken: AtomicBool::new(false),
        };
        let drafts = drafts(1_000);
        assert_eq!(kept(&drafts, &fragile), ids(&drafts));
    }
}
