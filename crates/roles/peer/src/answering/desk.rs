//! Requests that are being answered and answers that are held: one request, one answer (R4; case 66).
//!
//! What is durable is that a request was seen; that is in the store. Here is what this process knows beside.

use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use counterfoil_exchange::answering::Refusal;
use counterfoil_exchange::documents::RequestId;
use counterfoil_types::{DidKey, Sha256Hash};

/// What one held answer takes beside its bytes, about.
const ENTRY_BYTES: usize = 256;

/// Who asked, and under which id.
type Name = (DidKey, RequestId);

/// What is being answered, and what was answered lately.
#[derive(Debug)]
pub(super) struct Desk {
    most_bytes: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    entries: HashMap<Name, Entry>,
    /// Entries that nobody works on, the oldest first; with the turn, as an entry may have been taken up again.
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
    /// Somebody works on it; these wait.
    Working(Vec<Waker>),
    /// It was seen, durably, and nobody was given an answer.
    Open,
    /// It was answered.
    Held(Arc<[u8]>),
}

/// What is to be done with a request.
pub(super) enum Turn<'d> {
    /// It is to be answered.
    Answer(Work<'d>),
    /// It was answered so.
    Held(Arc<[u8]>),
}

/// A request that is being answered. To drop it leaves it to whoever comes with the same again.
pub(super) struct Work<'d> {
    desk: &'d Desk,
    name: Name,
    kept: Kept,
}

/// What is left of a work that is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// Nothing: nobody has seen the request.
    Nothing,
    /// That the request was seen.
    Seen,
    /// It has ended.
    Ended,
}

impl Desk {
    pub(super) fn new(most_bytes: usize) -> Self {
        Self {
            most_bytes,
            state: Mutex::default(),
        }
    }

    /// Takes up a request, or waits for whoever is answering the same one.
    pub(super) async fn take_up(
        &self,
        name: Name,
        hash: Sha256Hash,
        (now_us, until_us): (u64, u64),
    ) -> Result<Turn<'_>, Refusal> {
        poll_fn(|context| {
            let mut state = self.state();
            state.forget_until(now_us, self.most_bytes);
            let kept = match state.entries.get_mut(&name) {
                None => Kept::Nothing,
                Some(entry) if entry.hash != hash => return Poll::Ready(Err(Refusal::IdConflict)),
                Some(Entry {
                    stage: Stage::Held(bytes),
                    ..
                }) => {
                    return Poll::Ready(Ok(Turn::Held(Arc::clone(bytes))));
                }
                Some(Entry {
                    stage: Stage::Working(waiting),
                    ..
                }) => {
                    waiting.push(context.waker().clone());
                    return Poll::Pending;
                }
                Some(Entry {
                    stage: Stage::Open, ..
                }) => Kept::Seen,
            };
            match kept {
                Kept::Seen => state.take_up(&name),
                _ => state.begin(name.clone(), hash, until_us),
            }
            Poll::Ready(Ok(Turn::Answer(Work {
                desk: self,
                name: name.clone(),
                kept,
            })))
        })
        .await
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a work: what is kept of it, if anything, and who waits is woken.
    fn end(&self, name: &Name, kept: Option<Stage>) {
        let mut state = self.state();
        let woken = state.end(name, kept);
        state.forget_until(0, self.most_bytes);
        drop(state);
        woken.into_iter().for_each(Waker::wake);
    }
}

impl Work<'_> {
    /// Whether it is written down already that this request was seen.
    pub(super) fn is_seen(&self) -> bool {
        self.kept == Kept::Seen
    }

    /// It is written down now.
    pub(super) const fn seen(&mut self) {
        self.kept = Kept::Seen;
    }

    /// Holds the answer, and gives it to those who wait for it.
    pub(super) fn answered(mut self, bytes: &Arc<[u8]>) {
        self.kept = Kept::Ended;
        self.desk
            .end(&self.name, Some(Stage::Held(Arc::clone(bytes))));
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        match self.kept {
            Kept::Nothing => self.desk.end(&self.name, None),
            Kept::Seen => self.desk.end(&self.name, Some(Stage::Open)),
            Kept::Ended => {}
        }
    }
}

impl State {
    fn begin(&mut self, name: Name, hash: Sha256Hash, until_us: u64) {
        let stage = Stage::Working(Vec::new());
        self.entries.insert(
            name,
            Entry {
                hash,
                until_us,
                turn: 0,
                stage,
            },
        );
    }

    fn take_up(&mut self, name: &Name) {
        if let Some(entry) = self.entries.get_mut(name) {
            self.bytes = self.bytes.saturating_sub(bytes_of(&entry.stage));
            entry.stage = Stage::Working(Vec::new());
        }
    }

    fn end(&mut self, name: &Name, kept: Option<Stage>) -> Vec<Waker> {
        let Some(entry) = self.entries.get_mut(name) else {
            return Vec::new();
        };
        let Stage::Working(waiting) = &mut entry.stage else {
            return Vec::new();
        };
        let waiting = std::mem::take(waiting);
        match kept {
            Some(stage) => {
                self.turns += 1;
                self.bytes = self.bytes.saturating_add(bytes_of(&stage));
                (entry.stage, entry.turn) = (stage, self.turns);
                self.order.push_back((name.clone(), self.turns));
            }
            None => drop(self.entries.remove(name)),
        }
        waiting
    }

    /// Forgets what is past its time, and the oldest that there is no room for.
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
                // It was taken up again, and stands further back if it stands anywhere.
                None => {}
            }
            self.order.pop_front();
        }
    }
}

fn bytes_of(stage: &Stage) -> usize {
    let bytes = if let Stage::Held(bytes) = stage {
        bytes.len()
    } else {
        0
    };
    bytes.saturating_add(ENTRY_BYTES)
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

    fn work(desk: &Desk, number: u8) -> Work<'_> {
        match block_on(desk.take_up(name(number), hash(number), (0, 100))) {
            Ok(Turn::Answer(work)) => work,
            _ => panic!("it is to be answered"),
        }
    }

    fn held(desk: &Desk, number: u8, now_us: u64) -> Option<Arc<[u8]>> {
        match block_on(desk.take_up(name(number), hash(number), (now_us, 200))) {
            Ok(Turn::Held(bytes)) => Some(bytes),
            _ => None,
        }
    }

    #[test]
    fn the_same_request_gets_the_same_bytes_and_another_under_its_id_none() {
        let desk = Desk::new(1 << 20);
        work(&desk, 1).answered(&Arc::from(*b"tea"));
        assert_eq!(held(&desk, 1, 100).as_deref(), Some(&b"tea"[..]));
        let other = block_on(desk.take_up(name(1), hash(2), (0, 100)));
        assert!(matches!(other, Err(Refusal::IdConflict)));
        assert_eq!(held(&desk, 1, 101), None, "its time is over");
    }

    #[test]
    fn who_comes_while_it_is_answered_waits_for_that_answer() {
        let desk = Desk::new(1 << 20);
        let first = work(&desk, 1);
        std::thread::scope(|scope| {
            let second = scope.spawn(|| held(&desk, 1, 0));
            std::thread::sleep(std::time::Duration::from_millis(20));
            first.answered(&Arc::from(*b"tea"));
            assert_eq!(second.join().unwrap().as_deref(), Some(&b"tea"[..]));
        });
    }

    #[test]
    fn what_was_dropped_is_taken_up_by_whoever_waits_and_its_sighting_is_remembered() {
        let desk = Desk::new(1 << 20);
        let mut first = work(&desk, 1);
        assert!(!first.is_seen());
        first.seen();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| work(&desk, 1).is_seen());
            std::thread::sleep(std::time::Duration::from_millis(20));
            drop(first);
            assert!(second.join().unwrap());
        });
        drop(work(&desk, 2));
        assert!(!work(&desk, 2).is_seen());
    }

    #[test]
    fn answers_are_held_in_so_many_bytes_and_the_oldest_goes_first() {
        let desk = Desk::new(10 * (1000 + ENTRY_BYTES));
        for number in 0..100 {
            work(&desk, number).answered(&Arc::from(vec![number; 1000]));
            let state = desk.state();
            assert!(state.bytes <= desk.most_bytes && state.entries.len() <= 10);
            assert_eq!(state.order.len(), state.entries.len());
        }
        assert_eq!(held(&desk, 99, 0).as_deref(), Some(&[99; 1000][..]));
        assert_eq!(held(&desk, 89, 0), None);
    }

    #[test]
    fn to_take_up_the_same_again_and_again_takes_no_room() {
        let desk = Desk::new(1 << 20);
        for _ in 0..100 {
            work(&desk, 1).seen();
        }
        work(&desk, 2).answered(&Arc::from(*b"tea"));
        let state = desk.state();
        assert!(state.bytes <= 2 * ENTRY_BYTES + 3, "{}", state.bytes);
    }
}
