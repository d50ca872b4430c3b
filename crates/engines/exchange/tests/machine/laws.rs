//! What holds in every state, for every event (MRP-48, MRP-10 to MRP-16).

use counterfoil_exchange::documents::StatusCode;
use counterfoil_exchange::machine::{
    Effect, Event, EventKind, Exchange, ExchangeState, Moment, Transition, fold, step,
};
use proptest::prelude::*;

use super::rig::{Rig, SECOND, answer, failed, hash, passed, success};

const CODES: [StatusCode; 5] = [
    StatusCode::Success,
    StatusCode::Partial,
    StatusCode::NoMatch,
    StatusCode::Declined,
    StatusCode::Error,
];

/// One of each sort of event.
fn each_event() -> Vec<Event> {
    let mut events = vec![
        Event::Ask { timeout_us: 0 },
        Event::Ask {
            timeout_us: u64::MAX,
        },
        Event::Noise,
        failed(None),
        failed(Some(u64::MAX)),
        Event::Refused,
        Event::Tick,
        passed(0, 0),
        passed(0, 1),
        passed(1, 0),
        passed(u32::MAX, u32::MAX),
        Event::Kept,
        Event::NotKept,
        Event::Cancel,
        Event::Restarted,
        Event::Adopt { hash: hash(1) },
    ];
    events.extend(CODES.map(|code| answer(1, code)));
    events
}

/// An exchange in each state, reached by events alone.
fn each_state() -> Vec<Rig> {
    let verified = [success(1), passed(1, 0)];
    let ways: [&[Event]; 13] = [
        &[],
        &[success(1)],
        &verified,
        &[success(1), passed(2, 1)],
        &[success(1), passed(0, 1)],
        &[success(1), passed(1, 0), Event::Kept],
        &[success(1), passed(1, 0), Event::NotKept],
        &[answer(1, StatusCode::Declined)],
        &[answer(1, StatusCode::NoMatch)],
        &[answer(1, StatusCode::Error)],
        &[Event::Cancel],
        &[Event::Refused],
        &[success(1), Event::Cancel],
    ];
    let mut rigs: Vec<Rig> = ways
        .into_iter()
        .map(|way| {
            let mut rig = Rig::asked(30);
            for event in way {
                rig.does(event.clone());
            }
            rig
        })
        .collect();
    let mut late = Rig::asked(30);
    late.wait(31 * SECOND).does(Event::Tick);
    rigs.extend([Rig::new(), late]);
    rigs
}

/// MRP-48: every event in every state has an answer, and no state is left out.
#[test]
fn every_event_in_every_state_has_an_answer() {
    let mut seen: Vec<ExchangeState> = each_state().iter().map(Rig::state).collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen, ExchangeState::ALL);
    for rig in each_state() {
        for event in each_event() {
            let mut rig = rig.clone();
            let before = rig.state();
            rig.does(event.clone());
            assert!(
                follows(before, &event, rig.state()),
                "{before:?} {event:?} {:?}",
                rig.state()
            );
        }
    }
}

/// The table of §9 as a whole: what may come of an event.
fn follows(from: ExchangeState, event: &Event, to: ExchangeState) -> bool {
    use ExchangeState as S;
    let changed: &[S] = match (from, event) {
        (S::Idle, Event::Ask { .. }) => return to == S::Sent,
        (S::Sent, Event::Answer { code, .. }) => {
            return to
                == match code {
                    StatusCode::Success | StatusCode::Partial => S::Received,
                    StatusCode::NoMatch => S::NoMatch,
                    StatusCode::Declined => S::Declined,
                    StatusCode::Error => S::PeerError,
                };
        }
        (S::Sent, Event::Failed { .. }) => &[S::Sent, S::TimedOut],
        (S::Sent, Event::Refused) => return to == S::PeerError,
        (S::Sent | S::Received, Event::Cancel) => return to == S::Cancelled,
        (S::Received, Event::Examined { passed, rejected }) => {
            return to
                == match (passed, rejected) {
                    (0, 0) => S::NoMatch,
                    (0, _) => S::Rejected,
                    (_, 0) => S::Verified,
                    _ => S::PartiallyVerified,
                };
        }
        (S::Verified | S::PartiallyVerified, Event::Kept) => return to == S::Stored,
        (S::Verified | S::PartiallyVerified, Event::NotKept) => return to == S::Discarded,
        (S::Cancelled, Event::Adopt { .. }) => &[S::Cancelled, S::Received],
        (from, _) => return to == from,
    };
    changed.contains(&to)
}

fn any_event() -> impl Strategy<Value = Event> {
    let code = prop::sample::select(CODES.to_vec());
    prop_oneof![
        2 => any::<u64>().prop_map(|timeout_us| Event::Ask { timeout_us }),
        6 => (0_u8..4, code).prop_map(|(number, code)| answer(number, code)),
        3 => Just(Event::Noise),
        3 => (prop::option::of(any::<u64>()), any::<u32>())
            .prop_map(|(retry_after_us, jitter_ppm)| Event::Failed { retry_after_us, jitter_ppm }),
        1 => Just(Event::Refused),
        3 => Just(Event::Tick),
        3 => (0_u32..3, 0_u32..3).prop_map(|(some, others)| passed(some, others)),
        2 => Just(Event::Kept),
        1 => Just(Event::NotKept),
        1 => Just(Event::Cancel),
        2 => Just(Event::Restarted),
        3 => (0_u8..4).prop_map(|number| Event::Adopt { hash: hash(number) }),
    ]
}

fn any_moment() -> impl Strategy<Value = Moment> {
    let clock = || prop_oneof![0_u64..40_000_000, any::<u64>()];
    (clock(), clock()).prop_map(|(monotonic_us, wall_us)| Moment {
        monotonic_us,
        wall_us,
    })
}

/// What a row says, as its fold must know it.
fn durable(exchange: &Exchange) -> impl PartialEq + std::fmt::Debug {
    let known = (
        exchange.answer().copied(),
        exchange.late().copied(),
        exchange.others().to_vec(),
    );
    (
        exchange.state(),
        exchange.rows(),
        exchange.deadline_us(),
        known,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 1_000 } else { 20_000 }))]

    /// MRP-48: whatever happens at whatever time, nothing panics, the rows give the same exchange, and what is final
    /// changes by `adopt` alone.
    #[test]
    fn the_rows_give_the_exchange(events in prop::collection::vec((any_event(), any_moment()), 0..40)) {
        let mut rig = Rig::new();
        for (event, now) in events {
            rig.now = now;
            let (before, rows) = (rig.state(), rig.rows.len());
            let adopts = matches!(event, Event::Adopt { .. });
            let effects = rig.does(event);
            let folded = fold(&rig.rows);
            prop_assert_eq!(folded.as_ref().map(durable), Ok(durable(&rig.exchange)));
            prop_assert!(rig.state() == before || rig.rows.len() > rows, "a change without a row");
            prop_assert!(!before.is_final() || rig.state() == before || adopts);
            prop_assert!(ordered(&effects), "{effects:?}");
        }
        prop_assert!(rig.exchange.others().len() <= 3);
    }

    /// A row that is changed, left out, doubled or moved is found, or says the same of the state.
    #[test]
    fn no_row_can_be_left_out(events in prop::collection::vec(any_event(), 0..20), at in any::<prop::sample::Index>()) {
        let mut rig = Rig::asked(30);
        for event in events {
            rig.wait(SECOND).does(event);
        }
        let at = at.index(rig.rows.len());
        let mut without = rig.rows.clone();
        let row = without.remove(at);
        prop_assert!(fold(&without).is_err() || at == rig.rows.len() - 1);
        without.splice(at..at, [row.clone(), row]);
        prop_assert!(fold(&without).is_err());
    }
}

/// Bytes are kept before the row that names them, and nothing is verified or stored before its row.
fn ordered(effects: &[Effect]) -> bool {
    let place = |wanted: fn(&Effect) -> bool| effects.iter().position(wanted);
    let row =
        place(|effect| matches!(effect, Effect::Persist(row) if row.event != EventKind::Tick));
    let kept = place(|effect| matches!(effect, Effect::KeepAnswer(_)));
    let relies = place(|effect| {
        matches!(
            effect,
            Effect::Verify(_) | Effect::Store | Effect::Send { .. }
        )
    });
    let before = |one: Option<usize>, other: Option<usize>| match (one, other) {
        (Some(one), Some(other)) => one < other,
        _ => true,
    };
    before(kept, row) && before(row, relies)
}

/// Rows that no machine writes are refused, one field at a time.
#[test]
fn rows_that_no_machine_writes_are_refused() {
    let mut rig = Rig::asked(30);
    for event in [success(1), passed(1, 1), success(2), Event::Kept] {
        rig.does(event);
    }
    assert!(fold(&rig.rows).is_ok());
    let edits: [fn(&mut Transition); 6] = [
        |row| row.number += 1,
        |row| row.from = ExchangeState::Cancelled,
        |row| row.to = ExchangeState::Idle,
        |row| row.event = EventKind::Noise,
        |row| {
            row.deadline_us = if row.deadline_us.is_some() {
                None
            } else {
                Some(7)
            }
        },
        |row| {
            row.evidence = if row.event == EventKind::Ask {
                Some(hash(9))
            } else {
                None
            }
        },
    ];
    for (number, edit) in edits.into_iter().enumerate() {
        for at in 0..rig.rows.len() {
            let mut rows = rig.rows.clone();
            edit(&mut rows[at]);
            let evidence_of_no_weight = number == 5 && matches!(at, 0 | 2 | 4);
            assert!(
                fold(&rows).is_err() || evidence_of_no_weight,
                "edit {number}, row {at}"
            );
        }
    }
}

#[test]
fn a_step_at_the_end_of_both_clocks_does_not_overflow() {
    let end = Moment {
        monotonic_us: u64::MAX,
        wall_us: u64::MAX,
    };
    let ask = Event::Ask {
        timeout_us: u64::MAX,
    };
    let (exchange, _) = step(Exchange::default(), ask, end);
    let (exchange, _) = step(exchange, failed(Some(u64::MAX)), end);
    assert_eq!(exchange.state(), ExchangeState::TimedOut);
}
