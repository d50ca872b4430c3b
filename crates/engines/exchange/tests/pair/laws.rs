//! What holds whatever the network does.

use counterfoil_exchange::machine::{EventKind, ExchangeState, Notice, Transition, fold};
use proptest::prelude::*;

use super::network::{Fate, Forgery};
use super::responder::TRUTH;
use super::world::{Script, World};

const SECOND: u64 = 1_000_000;
const TIMEOUT: u64 = 30 * SECOND;

const FORGERIES: [Forgery; 6] = [
    Forgery::Garbage,
    Forgery::UnsignedRefusal,
    Forgery::Stranger,
    Forgery::Edited,
    Forgery::Replayed,
    Forgery::Equivocation,
];

fn fate(copies: u8, delay_us: u64) -> Fate {
    Fate {
        copies,
        delay_us,
        forgery: None,
    }
}

fn run(fates: Vec<Fate>, tells: bool) -> World {
    let script = Script {
        fates,
        tells,
        ..Script::default()
    };
    World::run(script, TIMEOUT)
}

fn stored(world: &World) -> Vec<&str> {
    let stored = world.requester.stored.iter();
    stored.map(|(_, words)| words.as_str()).collect()
}

/// The truth is stored, and nothing else.
#[track_caller]
fn assert_stored(world: &World) {
    assert_eq!(world.requester.state(), ExchangeState::Stored);
    assert_eq!(stored(world), [TRUTH]);
}

#[test]
fn over_a_good_network_a_question_is_answered_and_the_answer_stored() {
    let world = run(vec![], false);
    assert_stored(&world);
    assert_eq!((world.sends.len(), world.requester.rows.len()), (1, 4));
}

/// A request, or its answer, that is lost is sent again, and answered in the same bytes.
#[test]
fn what_is_lost_is_sent_again() {
    let lost = fate(0, 0);
    let good = fate(1, SECOND / 10);
    for fates in [
        vec![lost],
        vec![good, lost],
        vec![lost, good, lost],
        vec![lost, lost, lost],
    ] {
        let world = run(fates, true);
        assert_stored(&world);
    }
    let world = run(vec![lost; 8], true);
    assert_eq!(
        (world.requester.state(), world.sends.len()),
        (ExchangeState::PeerError, 4)
    );
}

/// Adversarial cases F71, F72, F69: each forgery first, the true answer after it.
#[test]
fn a_forgery_that_comes_first_does_not_keep_the_true_answer_out() {
    for forgery in FORGERIES {
        let forged = Fate {
            forgery: Some(forgery),
            ..fate(1, SECOND)
        };
        let world = run(vec![forged], false);
        if forgery == Forgery::Equivocation {
            // The peer's own second answer is as good as the first: whichever comes first is kept (case 73).
            assert_eq!(world.requester.state(), ExchangeState::Stored);
            continue;
        }
        assert_stored(&world);
        assert_eq!(world.requester.told, [Notice::Ignored], "{forgery:?}");
    }
}

/// Adversarial case F73: two answers of the peer: one is kept, both are there to show it.
#[test]
fn two_answers_of_the_peer_are_seen_and_the_first_is_kept() {
    let both = Fate {
        forgery: Some(Forgery::Equivocation),
        ..fate(1, 25_000)
    };
    let world = run(vec![fate(1, 10_000), both], false);
    let kinds: Vec<EventKind> = world.requester.rows.iter().map(|row| row.event).collect();
    assert!(kinds.contains(&EventKind::Equivocation), "{kinds:?}");
    assert_eq!(
        (world.requester.answers.len(), stored(&world).len()),
        (2, 1)
    );
}

/// Adversarial case F75: the process is killed at every moment at which something is half done.
#[test]
fn a_process_that_is_killed_at_any_moment_stores_once() {
    for at in (0..120_000).step_by(500) {
        let script = Script {
            kills: vec![at],
            ..Script::default()
        };
        let world = World::run(script, TIMEOUT);
        assert_stored(&world);
        let kept = |row: &&Transition| row.event == EventKind::Kept;
        assert_eq!(world.requester.rows.iter().filter(kept).count(), 1, "{at}");
    }
}

fn any_fate() -> impl Strategy<Value = Fate> {
    let delay = prop_oneof![3 => 1_u64..200_000, 1 => 1_u64..40_000_000];
    let forgery = prop::option::weighted(0.4, prop::sample::select(FORGERIES[..5].to_vec()));
    let copies = prop::sample::select(vec![0_u8, 0, 1, 1, 1, 2]);
    (copies, delay, forgery).prop_map(|(copies, delay_us, forgery)| Fate {
        copies,
        delay_us,
        forgery,
    })
}

fn any_script() -> impl Strategy<Value = Script> {
    let kill = prop_oneof![0_u64..150_000, 0_u64..60_000_000];
    (
        prop::collection::vec(any_fate(), 0..10),
        any::<bool>(),
        prop::collection::vec(kill, 0..3),
        prop::collection::vec(-4_000_000_000_i64..4_000_000_000, 0..3),
    )
        .prop_map(|(fates, tells, kills, jumps)| Script {
            fates,
            tells,
            kills,
            jumps,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 60 } else { 2_000 }))]

    /// Whatever is lost, doubled, delayed, forged or killed: it ends, nothing but the truth is stored, and once; what was
    /// delivered in time is not lost; nothing is sent after the deadline; and the rows give the exchange.
    #[test]
    fn whatever_the_network_does_only_the_truth_is_stored(script in any_script(), seconds in 1_u64..60) {
        let (kills, jumps) = (script.kills.clone(), script.jumps.clone());
        let world = World::run(script, seconds * SECOND);
        let state = world.requester.state();
        prop_assert!(state.is_final(), "{state:?}");
        let truth = stored(&world);
        prop_assert_eq!(truth.len(), usize::from(state == ExchangeState::Stored));
        prop_assert!(truth.iter().all(|words| *words == TRUTH));
        let folded = fold(&world.requester.rows).unwrap();
        prop_assert_eq!((folded.state(), folded.rows()), (state, world.requester.exchange().rows()));
        let undisturbed = kills.is_empty() || jumps.is_empty();
        if undisturbed {
            prop_assert!(world.sends.iter().all(|at| *at < seconds * SECOND));
            let in_time = world.delivered.iter().any(|at| *at < seconds * SECOND);
            let gave_up = matches!(state, ExchangeState::PeerError | ExchangeState::TimedOut);
            prop_assert!(!in_time || state == ExchangeState::Stored || gave_up && world.sends.len() > 1, "{state:?}");
        }
        prop_assert!(world.sends.len() <= 4 * (1 + kills.len()));
    }
}
