//! Transports that fail, and askers that give up.

use counterfoil_exchange::machine::{ExchangeState, Notice};
use counterfoil_peer::PeerError;
use counterfoil_store::conformance::block_on;

use crate::answers::{answer, key, memory, text};
use crate::rig::{Comes, Rig, SECOND_US, Scripted, done, question};

fn failed(retry_after_us: Option<u64>) -> PeerError {
    PeerError::Failed {
        detail: "overloaded".to_owned(),
        retry_after_us,
    }
}

fn true_answer(rig: &Rig) -> Scripted {
    Scripted::answering(rig, |request| {
        answer(request, vec![memory("m1", text("true"))])
    })
}

/// MRP-48, adversarial case F78: the same bytes again, at most three times, within the deadline. Who wants to be left alone for a
/// day is; what refuses is not asked again.
#[test]
fn f78_the_same_bytes_are_sent_again_where_that_may_help() {
    let refused = PeerError::Refused {
        detail: "it points elsewhere".to_owned(),
        problem: None,
    };
    let a_day = failed(Some(86_400 * SECOND_US));
    for (refuses, state, sent) in [
        (vec![failed(None), failed(None)], ExchangeState::Stored, 3),
        (
            [(); 9].map(|()| failed(None)).into(),
            ExchangeState::PeerError,
            4,
        ),
        (vec![a_day], ExchangeState::TimedOut, 1),
        (vec![refused], ExchangeState::PeerError, 1),
    ] {
        let rig = Rig::new();
        let mut way = true_answer(&rig);
        way.refuses = refuses.into();
        let report = rig.ask(question(Some(key(9))), &mut way);
        assert_eq!((report.state, way.sent.len()), (state, sent));
        assert!(way.sent.iter().all(|sent| *sent == way.sent[0]));
        match sent {
            3 => assert!((2_400_000..=3_600_000).contains(&rig.clocks.monotonic())),
            4 => assert_eq!(report.failure.as_deref(), Some("overloaded")),
            _ => {}
        }
    }
}

/// The connection breaks while an answer is waited for.
#[test]
fn a_broken_connection_is_tried_again() {
    let rig = Rig::new();
    let mut times = 0;
    let mut way = Scripted::new(&rig, move |request| {
        times += 1;
        let bytes = answer(request, vec![memory("m1", text("true"))]);
        match times {
            1 => vec![(SECOND_US, Comes::Fails(failed(None)))],
            _ => vec![(SECOND_US, Comes::Bytes(bytes))],
        }
    });
    let report = rig.ask(question(Some(key(9))), &mut way);
    assert_eq!((report.state, way.sent.len()), (ExchangeState::Stored, 2));
}

/// MRP-15: given up from elsewhere, while this process waits: its answer is late.
#[test]
fn an_exchange_that_was_cancelled_elsewhere_takes_no_answer() {
    let rig = Rig::new();
    let mut way = true_answer(&rig);
    let (asking, store) = (rig.asking(), std::sync::Arc::clone(&rig.store));
    way.meanwhile = Some(Box::new(move || {
        use counterfoil_store::ExchangeStore;
        let open = block_on(store.exchanges(None, 1)).unwrap();
        done(asking.cancel(&open[0].begun.id));
    }));
    let report = rig.ask(question(Some(key(9))), &mut way);
    assert_eq!(report.state, ExchangeState::Cancelled);
    assert_eq!(report.notices[&Notice::Late], 1);
    assert_eq!(rig.size(), 0);
    assert_eq!(
        done(rig.asking().adopt(&report.id)).state,
        ExchangeState::Stored
    );
}

#[test]
fn an_exchange_that_is_not_there_is_an_error() {
    let rig = Rig::new();
    let id = rig.asking().draw().unwrap();
    let error = block_on(rig.asking().report(&id)).unwrap_err();
    assert!(matches!(error, PeerError::NoExchange { .. }), "{error}");
}
