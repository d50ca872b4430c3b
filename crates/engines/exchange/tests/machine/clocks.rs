//! Deadlines, retries and restarts on two clocks.

use counterfoil_exchange::machine::{Effect, Event, ExchangeState};
use proptest::prelude::*;

use super::rig::{HOUR, Rig, SECOND, failed, sends, success, woken};

/// MRP-15: nothing came in time.
#[test]
fn a_question_without_answer_times_out_at_its_deadline() {
    let mut rig = Rig::asked(30);
    let effects = rig.wait(30 * SECOND - 1).does(Event::Tick);
    assert_eq!(
        (rig.state(), woken(&effects)),
        (ExchangeState::Sent, Some(30 * SECOND))
    );
    let effects = rig.wait(1).does(Event::Tick);
    assert_eq!(rig.state(), ExchangeState::TimedOut);
    assert!(effects.contains(&Effect::Close));
}

#[test]
fn the_time_to_wait_is_1_to_600_seconds() {
    for (asked, waited) in [
        (0, 1),
        (1, 1),
        (30, 30),
        (600, 600),
        (601, 600),
        (u64::MAX / SECOND, 600),
    ] {
        let mut rig = Rig::new();
        let effects = rig.does(Event::Ask {
            timeout_us: asked * SECOND,
        });
        assert_eq!(woken(&effects), Some(waited * SECOND), "{asked} s");
    }
}

/// Adversarial case F76: the wall clock jumps by an hour either way while an answer is waited for.
#[test]
fn the_wall_clock_does_not_move_the_deadline() {
    for jump in [HOUR.cast_signed(), -HOUR.cast_signed()] {
        let mut rig = Rig::asked(30);
        rig.now.wall_us = rig.now.wall_us.saturating_add_signed(jump);
        rig.wait(29 * SECOND).does(Event::Tick);
        assert_eq!(rig.state(), ExchangeState::Sent, "{jump}");
        rig.wait(SECOND).does(Event::Tick);
        assert_eq!(rig.state(), ExchangeState::TimedOut, "{jump}");
    }
}

/// Adversarial case F76: nor after a restart does a wall clock that was set back give more time than there was.
#[test]
fn a_restart_never_extends_the_deadline() {
    let mut back = Rig::asked(30);
    back.now.wall_us -= 8 * HOUR;
    let effects = back.restart();
    assert_eq!(
        woken(&effects),
        Some(77 + 30 * SECOND),
        "at most the whole of it"
    );
    let mut rig = Rig::asked(30);
    rig.wait(10 * SECOND);
    assert_eq!(woken(&rig.restart()), Some(77 + 20 * SECOND));
    rig.now.wall_us -= HOUR;
    assert_eq!(
        woken(&rig.does(Event::Restarted)),
        Some(77 + 20 * SECOND),
        "and never more than was left"
    );
    let mut over = Rig::asked(30);
    over.wait(30 * SECOND);
    let effects = over.restart();
    assert_eq!(
        (over.state(), sends(&effects)),
        (ExchangeState::TimedOut, 0)
    );
}

/// Adversarial case F77: the machine slept for eight hours; the answer that came meanwhile is late.
#[test]
fn a_question_that_was_slept_over_has_timed_out() {
    let mut rig = Rig::asked(30);
    rig.wait(8 * HOUR).does(success(1));
    assert_eq!(rig.state(), ExchangeState::TimedOut);
    assert!(rig.exchange.late().is_some());
}

#[test]
fn the_same_bytes_are_sent_again_after_1_2_and_4_seconds_and_then_no_more() {
    let mut rig = Rig::asked(30);
    for delay in [1, 2, 4] {
        let due = rig.now.monotonic_us + delay * SECOND;
        assert_eq!(woken(&rig.does(failed(None))), Some(due));
        assert_eq!(rig.does(failed(None)), [], "one failure at a time");
        assert_eq!(sends(&rig.does(Event::Tick)), 0, "not before");
        assert_eq!(sends(&rig.wait(delay * SECOND).does(Event::Tick)), 1);
    }
    rig.does(failed(None));
    assert_eq!(rig.state(), ExchangeState::PeerError);
}

/// Adversarial case F78: the responder wants to be left alone: for a time that fits, and for a day.
#[test]
fn a_retry_after_is_honoured_only_if_it_fits() {
    let mut rig = Rig::asked(30);
    assert_eq!(
        woken(&rig.does(failed(Some(10 * SECOND)))),
        Some(10 * SECOND)
    );
    rig.wait(10 * SECOND).does(Event::Tick);
    assert_eq!(rig.state(), ExchangeState::Sent);
    let effects = rig.does(failed(Some(86_400 * SECOND)));
    assert_eq!((rig.state(), sends(&effects)), (ExchangeState::TimedOut, 0));
}

#[test]
fn a_retry_that_would_come_after_the_deadline_is_none() {
    let mut rig = Rig::asked(1);
    rig.does(failed(None));
    assert_eq!(rig.state(), ExchangeState::TimedOut);
}

#[test]
fn verification_has_a_time_of_its_own_and_what_it_left_undone_can_be_adopted() {
    let mut rig = Rig::asked(30);
    rig.wait(29 * SECOND);
    assert_eq!(woken(&rig.does(success(1))), Some(59 * SECOND));
    rig.wait(29 * SECOND).does(Event::Tick);
    assert_eq!(
        rig.state(),
        ExchangeState::Received,
        "the deadline for the answer is over"
    );
    rig.wait(SECOND).does(Event::Tick);
    assert_eq!(rig.state(), ExchangeState::TimedOut);
    assert_eq!(rig.exchange.late(), Some(&super::rig::hash(1)));
}

proptest! {
    /// ±20 %, whatever chance says.
    #[test]
    fn chance_moves_a_retry_by_a_fifth_at_most(jitter_ppm: u32) {
        let mut rig = Rig::asked(30);
        let effects = rig.does(Event::Failed { retry_after_us: None, jitter_ppm });
        let due = woken(&effects).unwrap();
        prop_assert!((800_000..=1_200_000).contains(&due), "{due}");
    }

    /// However often it fails and whatever the wall clock does, at most four times are the bytes sent, all in time.
    #[test]
    fn nothing_is_sent_at_or_after_the_deadline(
        seconds in 1_u64..600,
        steps in prop::collection::vec((0_u64..5_000_000, any::<u64>(), any::<bool>()), 1..60),
    ) {
        let mut rig = Rig::asked(seconds);
        let mut sent = 1;
        for (wait, wall_us, fails) in steps {
            rig.wait(wait);
            rig.now.wall_us = wall_us;
            let now = rig.now.monotonic_us;
            let count = sends(&rig.does(if fails { failed(None) } else { Event::Tick }));
            prop_assert!(count == 0 || now < seconds * SECOND);
            sent += count;
        }
        prop_assert!(sent <= 4);
    }
}
