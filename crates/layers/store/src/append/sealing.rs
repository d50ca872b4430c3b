//! Seals many drafts on several threads: a signature costs as much as all rows of an entry, and
//! the first entries can be written while the last are sealed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
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
/// Threads beside the one that writes. More would only take cores from others.
const MAX_HELPERS: usize = 3;

/// Seals the drafts and gives each to `keep`, in their order, on the thread of the caller. The
/// first error of `keep` ends it.
///
/// Capsules are dropped at the end: freeing memory while other threads seal would make
/// the threads wait for each other.
pub(super) fn seal_each<'u, 'd, E>(
    unsealed: &'u [Unsealed<'d>],
    signer: &dyn Signer,
    pack: Packer,
    mut keep: impl FnMut(&'u Unsealed<'d>, &Outcome) -> Result<(), E>,
) -> Result<(), E> {
    let work = Work {
        chunks: unsealed.chunks(CHUNK).collect(),
        next: AtomicUsize::new(0),
        signer,
        pack,
    };
    let helpers = (work.chunks.len() / CHUNKS_PER_THREAD).min(MAX_HELPERS);
    thread::scope(|scope| {
        let (sender, done) = mpsc::channel();
        let threads: Vec<_> = (0..helpers)
            .map(|_| {
                let (work, sender) = (&work, sender.clone());
                let help =
                    move || while work.step().is_some_and(|done| sender.send(done).is_ok()) {};
                thread::Builder::new().spawn_scoped(scope, help)
            })
            .collect();
        drop(sender);
        let mut sealed = BTreeMap::new();
        let kept = work.chunks.iter().enumerate().try_for_each(|(at, chunk)| {
            let sealed = work.result(at, &done, &mut sealed);
            let mut pairs = chunk.iter().zip(sealed);
            pairs.try_for_each(|(unsealed, sealed)| keep(unsealed, sealed))
        });
        // After an error nobody needs the rest. A thread that did not start or did not end well
        // has been made up for.
        work.next.store(work.chunks.len(), Ordering::Relaxed);
        for thread in threads.into_iter().flatten() {
            drop(thread.join());
        }
        kept
    })
}

/// Drafts of which every thread takes the next chunk when it has done one.
struct Work<'u, 'd, 's> {
    chunks: Vec<&'u [Unsealed<'d>]>,
    next: AtomicUsize,
    signer: &'s dyn Signer,
    pack: Packer,
}

impl Work<'_, '_, '_> {
    /// Seals the next chunk that no thread has taken; `None` when there is none.
    fn step(&self) -> Option<(usize, Vec<Outcome>)> {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        Some((at, self.seal(self.chunks.get(at)?)))
    }

    /// The sealed chunk `at`; while it is not there, others are sealed.
    fn result<'r>(
        &self,
        at: usize,
        done: &mpsc::Receiver<(usize, Vec<Outcome>)>,
        sealed: &'r mut BTreeMap<usize, Vec<Outcome>>,
    ) -> &'r [Outcome] {
        sealed.extend(done.try_iter());
        while !sealed.contains_key(&at)
            && let Some((at, chunk)) = self.step().or_else(|| done.recv().ok())
        {
            sealed.insert(at, chunk);
            sealed.extend(done.try_iter());
        }
        // The thread that took it did not end well.
        let missing = || self.seal(self.chunks.get(at).copied().unwrap_or_default());
        sealed.entry(at).or_insert_with(missing)
    }

    fn seal(&self, unsealed: &[Unsealed<'_>]) -> Vec<Outcome> {
        unsealed
            .iter()
            .map(|unsealed| seal(unsealed, self.signer, self.pack))
            .collect()
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
    use std::sync::atomic::AtomicBool;

    use counterfoil_capsule::{AgentSigner, CapsuleId, Position, SecretKey, Stamp, world_header};
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
        let unsealed = |(index, draft): (u64, &'d Draft)| Unsealed {
            draft,
            index,
            unsigned: world_header(draft.world().unwrap(), &position, &[2; 32], signer).unwrap(),
            delta: None,
            salt: [2; 32],
        };
        (0..).zip(drafts).map(unsealed).collect()
    }

    fn pack(capsule: &StoredCapsule) -> PackedTexts {
        let payload = capsule.payload.clone().unwrap();
        (None, Some(payload.text.into_bytes()))
    }

    /// The WorldIds in the order in which they were kept.
    fn kept(drafts: &[Draft], signer: &dyn Signer) -> Vec<WorldId> {
        let mut kept = Vec::new();
        seal_each(
            &unsealed(drafts, signer),
            signer,
            pack,
            |unsealed, sealed| {
                let sealed = sealed.as_ref().unwrap();
                let (capsule, world) = (&sealed.capsule, unsealed.draft.world().unwrap());
                assert_eq!(sealed.packed, pack(capsule));
                assert_eq!(capsule.entry.world(), Some(world.world_id()));
                assert_eq!(capsule.entry.leaf_hash(), sealed.leaf);
                assert_eq!(capsule.index, unsealed.index);
                kept.push(world.world_id().clone());
                Ok::<_, ()>(())
            },
        )
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
        let refused = seal_each(&unsealed(&drafts, &agent), &agent, pack, |_, _| {
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
