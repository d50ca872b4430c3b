//! The process is killed at every write of an exchange, before it and after it, and begins again (case 75).

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use counterfoil_exchange::checks::Flag;
use counterfoil_exchange::documents::RequestId;
use counterfoil_exchange::machine::{ExchangeState, Notice};
use counterfoil_exchange::trust::LocalRecord;
use counterfoil_peer::asking::ReceivedMemory;
use counterfoil_store::ExchangeStore;
use counterfoil_store::conformance::block_on;

use crate::answers::{answer, fact, key, memory, text, two};
use crate::failing::Killed;
use crate::rig::{Rig, Scripted, question, values};

/// Many times more writes than an exchange has.
const ENOUGH: usize = 500;

fn way(rig: &Rig) -> Scripted {
    Scripted::answering(rig, |request| {
        let memories = [
            memory("m1", text("a text")),
            memory("m2", fact("ann", "lives in", "Porto")),
            memory("m3", text("a text")),
            memory("m4", fact("bob", "lives in", "Braga")),
        ];
        answer(request, memories.into())
    })
}

/// Asks until the process is killed; `false`: it was not.
fn killed(rig: &Rig, id: &RequestId, at: usize) -> bool {
    killed_on(rig, id, at, way(rig))
}

/// The same, by another way.
fn killed_on(rig: &Rig, id: &RequestId, at: usize, mut way: Scripted) -> bool {
    let store = Arc::new(Killed::new(Arc::clone(&rig.store), at));
    let asking = rig.host(Arc::<Killed>::clone(&store));
    let mut task = pin!(asking.ask_under(id.clone(), question(Some(key(9))), &mut way));
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..ENOUGH {
        match task.as_mut().poll(&mut context) {
            Poll::Ready(report) => {
                assert_eq!(report.unwrap().state, ExchangeState::Stored);
                return false;
            }
            Poll::Pending if store.is_stopped() => return true,
            Poll::Pending => {}
        }
    }
    panic!("neither done nor killed");
}

/// Adversarial cases F75 and H102, R17: whatever was done before, everything is stored exactly once after it.
#[test]
fn f75_killed_at_any_write_it_is_stored_exactly_once() {
    let mut at = 0;
    loop {
        let rig = Rig::new();
        // What is written a second time has to be the same to the microsecond.
        rig.clocks.run();
        rig.user_says("bob", "lives in", "Lisbon");
        let before = rig.size();
        let id = rig.asking().draw().unwrap();
        let was_killed = killed(&rig, &id, at);
        let Some(_) = block_on(rig.store.exchange(&id)).unwrap() else {
            assert_eq!(at, 0, "begun, and not written down");
            at += 1;
            continue;
        };
        rig.clocks.pass(1_000_000);
        let report = rig.resume(&id, &mut way(&rig));
        println!("killed at {at}: {report:?}");
        assert_eq!(report.state, ExchangeState::Stored);
        assert_eq!((report.memories.len(), rig.size()), (4, before + 3));
        let is_stored = |memory: &ReceivedMemory| memory.stored.is_some();
        assert!(report.memories.iter().all(is_stored));
        let (first, again) = (&report.memories[0], &report.memories[2]);
        assert_eq!(first.stored, again.stored);
        assert!(again.judged.flags.contains(&Flag::Known));
        rig.trust(key(9));
        assert_eq!(values(&rig.believe("ann", "lives in")), ["\"Porto\""]);
        assert_eq!(values(&rig.believe("bob", "lives in")).len(), 2);
        let again = rig.resume(&id, &mut way(&rig));
        assert_eq!((again.memories, rig.size()), (report.memories, before + 3));
        if !was_killed {
            assert!(at > 20, "only {at} writes");
            return;
        }
        at += 1;
    }
}

/// Adversarial case F73: a second answer is held against its responder, wherever the process was killed.
#[test]
fn killed_at_any_write_a_second_answer_is_not_forgotten() {
    for at in 0..ENOUGH {
        let rig = Rig::new();
        let id = rig.asking().draw().unwrap();
        let was_killed = killed_on(&rig, &id, at, Scripted::saying(&rig, two));
        if block_on(rig.store.exchange(&id)).unwrap().is_none() {
            continue;
        }
        let report = rig.resume(&id, &mut Scripted::saying(&rig, two));
        let is_noticed = report.notices.contains_key(&Notice::Equivocation);
        let is_marked = rig
            .recorded()
            .iter()
            .any(|record| matches!(record, LocalRecord::Mark { .. }));
        assert!(is_marked || !is_noticed, "killed at {at}");
        if !was_killed {
            assert!(is_noticed && at > 10, "only {at} writes");
            return;
        }
    }
    panic!("it was never done");
}
