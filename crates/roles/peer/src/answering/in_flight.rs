//! Table of requests under way and of recent answers: one request, one answer (R4; case 66).
//!
//! The store durably records that a request was seen; this table is the memory of the process beside it.

use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use counterfoil_exchange::answering::Refusal;
use counterfoil_exchange::documents::RequestId;
use counterfoil_types::{DidKey, Sha256Hash, WorldId};

/// Approximate size of an entry beside the bytes of its answer.
const ENTRY_BYTES: usize = 256;
/// Approximate size of the id of a memory.
const ID_BYTES: usize = 64;

/// Key of the requester, and its request id.
pub(super) type Name = (DidKey, RequestId);

/// Table of requests under way and of recent answers.
#[derive(Debug)]
pub(super) struct InFlight {
    most_bytes: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    entries: HashMap<Name, Entry>,
    /// Idle entries, the oldest first; with the turn, as an entry may have been taken up again.
    order: VecDeque<(Name, u64)>,
    bytes: usize,
    turns: u64,
}

#[derive(Debug)]
struct Entry {
    hash: Sha256Hash,
    until_us: u64,
    turn: u64,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// Being answered, with the tasks that wait for the answer.
    Working(Vec<Waker>),
    /// Seen, durably, and not answered.
    Open,
    /// Answered.
    Answered(Answer),
}

/// Answer that is held for repetitions of its request.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    /// Bytes of the answer.
    pub(super) bytes: Arc<[u8]>,
    /// Memories in it.
    pub(super) memories: Arc<[WorldId]>,
}

/// Result of taking up a request.
pub(super) enum Turn<W> {
    /// The caller is to answer it.
    Answer(W),
    /// Held answer of an earlier, equal request.
    Answered(Answer),
}

/// Request that the caller is answering. Dropping it leaves the request to the next caller with the same one.
pub(super) struct Work<'d> {
    in_flight: &'d InFlight,
    name: Name,
    /// Stage that is kept when this is dropped: none unless the request is recorded as seen.
    kept: Option<Stage>,
}

impl InFlight {
    pub(super) fn new(most_bytes: usize) -> Self {
        Self {
            most_bytes,
            state: Mutex::default(),
        }
    }

    /// Takes up a request, or waits for its answer if another task is answering it.
    pub(super) async fn take_up(
        &self,
        name: Name,
        hash: Sha256Hash,
        (now_us, until_us): (u64, u64),
    ) -> Result<Turn<Work<'_>>, Refusal> {
        poll_fn(|context| {
            let state = &mut *self.state();
            state.forget_until(now_us, self.most_bytes);
            let kept = match state.entries.get_mut(&name) {
                Some(entry) if entry.hash != hash => return Poll::Ready(Err(Refusal::IdConflict)),
                Some(entry) => match &mut entry.stage {
                    Stage::Answered(answer) => {
                        return Poll::Ready(Ok(Turn::Answered(answer.clone())));
                    }
                    Stage::Working(waiting) => {
                        waiting.push(context.waker().clone());
                        return Poll::Pending;
                    }
                    Stage::Open => {
                        state.bytes = state.bytes.saturating_sub(ENTRY_BYTES);
                        let working = Stage::Working(Vec::new());
                        Some(std::mem::replace(&mut entry.stage, working))
                    }
                },
                None => {
                    let entry = Entry {
                        hash,
                        until_us,
                        turn: 0,
                        stage: Stage::Working(Vec::new()),
                    };
                    state.entries.insert(name.clone(), entry);
                    None
                }
            };
            Poll::Ready(Ok(Turn::Answer(Work {
                in_flight: self,
                name: name.clone(),
                kept,
            })))
        })
        .await
    }

    /// Drops the answer of a request. That the request was seen stays recorded in the store.
    pub(super) fn drop_answer(&self, name: &Name) {
        let state = &mut *self.state();
        let is_held = |entry: &Entry| matches!(entry.stage, Stage::Answered(_));
        if state.entries.get(name).is_some_and(is_held)
            && let Some(entry) = state.entries.remove(name)
        {
            state.bytes = state.bytes.saturating_sub(bytes_of(&entry.stage));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Work<'_> {
    /// Returns true if the store has recorded this request as seen.
    pub(super) const fn is_seen(&self) -> bool {
        self.kept.is_some()
    }

    /// Notes that the store has recorded this request.
    pub(super) fn seen(&mut self) {
        self.kept = Some(Stage::Open);
    }

    /// Keeps the answer with the ids of the memories in it, and gives it to the waiting tasks.
    pub(super) fn answered(mut self, bytes: &Arc<[u8]>, memories: Vec<WorldId>) {
        self.kept = Some(Stage::Answered(Answer {
            bytes: Arc::clone(bytes),
            memories: memories.into(),
        }));
    }
}

impl Drop for Work<'_> {
    /// Ends the work on the request, and wakes the waiting tasks.
    fn drop(&mut self) {
        let mut guard = self.in_flight.state();
        let state = &mut *guard;
        let mut woken = Vec::new();
        if let Some(entry) = state.entries.get_mut(&self.name)
            && let Stage::Working(waiting) = &mut entry.stage
        {
            woken = std::mem::take(waiting);
            match self.kept.take() {
                Some(stage) => {
                    state.turns += 1;
                    state.bytes = state.bytes.saturating_add(bytes_of(&stage));
                    (entry.stage, entry.turn) = (stage, state.turns);
                    state.order.push_back((self.name.clone(), state.turns));
                }
                None => drop(state.entries.remove(&self.name)),
            }
        }
        state.forget_until(0, self.in_flight.most_bytes);
        drop(guard);
        woken.into_iter().for_each(Waker::wake);
    }
}

impl State {
    /// Evicts expired entries, and the oldest beyond the limit of bytes.
    fn forget_until(&mut self, now_us: u64, most_bytes: usize) {
        while let Some((name, turn)) = self.order.front() {
            let entry = self.entries.get(name).filter(|entry| entry.turn == *turn);
            let idle = entry.filter(|entry| !matches!(entry.stage, Stage::Working(_)));
            match idle {
                Some(entry) if entry.until_us >= now_us && self.bytes <= most_bytes => return,
                Some(entry) => {
                    self.bytes = self.bytes.saturating_sub(bytes_of(&entry.stage));
                    let name = name.clone();
                    self.entries.remove(&name);
                }
                // It was taken up again, and is further back if it is in the queue.
                None => {}
            }
            self.order.pop_front();
        }
    }
}

fn bytes_of(stage: &Stage) -> usize {
    match stage {
        Stage::Answered(answer) => {
            let ids = answer.memories.len().saturating_mul(ID_BYTES);
            let bytes = answer.bytes.len().saturating_add(ids);
            bytes.saturating_add(ENTRY_BYTES)
        }
        Stage::Working(_) | Stage::Open => ENTRY_BYTES,
    }
}

#[cfg(test)]
mod tests {
    use counterfoil_capsule::{AgentSigner, SecretKey, Signer};
    use counterfoil_store::conformance::block_on;

    use super::*;

    fn name(number: u8) -> Name {
        let key = AgentSigner::new(SecretKey::from_seed([1; 32])).agent();
        (key, RequestId::from_bytes([number; 16]))
    }

    fn hash(number: u8) -> Sha256Hash {
        Sha256Hash::from_bytes([number; 32])
    }

    fn work(in_flight: &InFlight, number: u8) -> Work<'_> {
        match block_on(in_flight.take_up(name(number), hash(number), (0, 100))) {
            Ok(Turn::Answer(work)) => work,
            _ => panic!("it is to be answered"),
        }
    }

    fn held(in_flight: &InFlight, number: u8, now_us: u64) -> Option<Arc<[u8]>> {
        match block_on(in_flight.take_up(name(number), hash(number), (now_us, 200))) {
            Ok(Turn::Answered(answer)) => Some(answer.bytes),
            _ => None,
        }
    }

    #[test]
    fn who_comes_while_it_is_answered_waits_for_that_answer() {
        let in_flight = InFlight::new(1 << 20);
        let first = work(&in_flight, 1);
        std::thread::scope(|scope| {
            let second = scope.spawn(|| held(&in_flight, 1, 0));
            std::thread::sleep(std::time::Duration::from_millis(20));
            first.answered(&Arc::from(*b"tea"), Vec::new());
            assert_eq!(second.join().unwrap().as_deref(), Some(&b"tea"[..]));
        });
    }

    #[test]
    fn what_was_dropped_is_taken_up_by_whoever_waits_and_its_sighting_is_remembered() {
        let in_flight = InFlight::new(1 << 20);
        let mut first = work(&in_flight, 1);
        assert!(!first.is_seen());
        first.seen();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| work(&in_flight, 1).is_seen());
            std::thread::sleep(std::time::Duration::from_millis(20));
            drop(first);
            assert!(second.join().unwrap());
        });
        drop(work(&in_flight, 2));
        assert!(!work(&in_flight, 2).is_seen());
    }

    #[test]
    fn answers_are_held_in_so_many_bytes_and_the_oldest_goes_first() {
        let in_flight = InFlight::new(10 * (1000 + ENTRY_BYTES));
        for number in 0..100 {
            work(&in_flight, number).answered(&Arc::from(vec![number; 1000]), Vec::new());
            let state = in_flight.state();
            assert!(state.bytes <= in_flight.most_bytes && state.entries.len() <= 10);
            assert_eq!(state.order.len(), state.entries.len());
        }
        assert_eq!(held(&in_flight, 99, 0).as_deref(), Some(&[99; 1000][..]));
        assert_eq!(held(&in_flight, 89, 0), None);
    }

    #[test]
    fn to_take_up_the_same_again_and_again_takes_no_room() {
        let in_flight = InFlight::new(1 << 20);
        for _ in 0..100 {
            work(&in_flight, 1).seen();
        }
        work(&in_flight, 2).answered(&Arc::from(*b"tea"), Vec::new());
        let state = in_flight.state();
        assert!(state.bytes <= 2 * ENTRY_BYTES + 3, "{}", state.bytes);
    }
}
