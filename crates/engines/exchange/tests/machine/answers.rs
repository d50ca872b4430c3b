//! Answers: the first, another, a late one, none, forged ones.

use counterfoil_exchange::documents::StatusCode;
use counterfoil_exchange::machine::{Effect, Event, EventKind, ExchangeState, Notice, fold};

use super::rig::{HOUR, Rig, SECOND, answer, hash, passed, sends, success};

/// MRP-10, MRP-11, MRP-12, MRP-13, MRP-14: the way of a question that is answered.
#[test]
fn an_answer_is_verified_and_then_stored() {
    let mut rig = Rig::asked(30);
    assert_eq!(rig.state(), ExchangeState::Sent);
    let effects = rig.wait(SECOND).does(success(1));
    assert!(
        matches!(
            effects[..3],
            [Effect::KeepAnswer(_), Effect::Persist(_), Effect::Verify(_)]
        ),
        "{effects:?}"
    );
    assert_eq!(rig.state(), ExchangeState::Received);
    assert!(rig.does(passed(1, 0)).contains(&Effect::Store));
    assert_eq!(rig.state(), ExchangeState::Verified);
    assert!(rig.does(Event::Kept).contains(&Effect::Close));
    assert_eq!(rig.state(), ExchangeState::Stored);
}

/// Adversarial case F71: an off-path injector posts garbage first; the true answer succeeds. R6, MRP-16.
#[test]
fn garbage_before_the_answer_changes_nothing() {
    let mut rig = Rig::asked(30);
    for _ in 0..15 {
        assert_eq!(rig.does(Event::Noise), [Effect::Tell(Notice::Ignored)]);
        assert_eq!((rig.state(), rig.rows.len()), (ExchangeState::Sent, 1));
    }
    rig.does(success(1));
    assert_eq!(
        (rig.state(), rig.exchange.answer()),
        (ExchangeState::Received, Some(&hash(1)))
    );
}

/// Adversarial cases F71, F72: after 16 of them no more is read, and the question still ends by its own deadline. A forged refusal is noise,
/// so it ends nothing (R21).
#[test]
fn too_much_garbage_closes_the_transport_once_and_ends_nothing() {
    let mut rig = Rig::asked(30);
    let closed: Vec<usize> = (1..=40)
        .filter(|_| rig.does(Event::Noise).contains(&Effect::Close))
        .collect();
    assert_eq!(closed, [16]);
    assert_eq!(rig.state(), ExchangeState::Sent);
    let mut answered = rig.clone();
    answered.does(success(1));
    assert_eq!(
        answered.state(),
        ExchangeState::Received,
        "what was read before is still an answer"
    );
    rig.wait(30 * SECOND).does(Event::Tick);
    assert_eq!(rig.state(), ExchangeState::TimedOut);
}

/// Adversarial case F73: two different answers of one responder: the first is kept, the second is written down. R6.
#[test]
fn a_second_answer_with_other_bytes_is_an_equivocation() {
    let mut rig = Rig::asked(30);
    rig.does(success(1));
    assert_eq!(rig.does(success(1)), [], "the same again is nothing");
    let effects = rig.does(success(2));
    assert!(
        effects.contains(&Effect::Tell(Notice::Equivocation))
            && effects.contains(&Effect::KeepAnswer(hash(2)))
    );
    assert_eq!(rig.does(success(2)), [], "it is written down once");
    assert_eq!(
        (rig.state(), rig.exchange.answer()),
        (ExchangeState::Received, Some(&hash(1)))
    );
    let row = rig.rows.last().unwrap();
    assert_eq!(
        (row.event, row.from, row.to),
        (
            EventKind::Equivocation,
            ExchangeState::Received,
            ExchangeState::Received
        )
    );
    let folded = fold(&rig.rows).unwrap();
    assert_eq!(folded.others(), [hash(2)]);
}

/// Adversarial case F73: whoever answers a thousand times fills no store.
#[test]
fn no_more_than_three_other_answers_are_written_down() {
    let mut rig = Rig::asked(30);
    let kept: usize = (0..200_u8)
        .map(|number| {
            rig.does(success(number))
                .iter()
                .filter(|effect| matches!(effect, Effect::KeepAnswer(_)))
                .count()
        })
        .sum();
    assert_eq!((kept, rig.rows.len()), (4, 5));
}

/// Adversarial case F73: a refusal that follows an answer, and an answer that follows a refusal, contradict it as well.
#[test]
fn a_refusal_beside_an_answer_is_an_equivocation() {
    for (first, second) in [
        (StatusCode::Success, StatusCode::Declined),
        (StatusCode::NoMatch, StatusCode::Success),
    ] {
        let mut rig = Rig::asked(30);
        rig.does(answer(1, first));
        let state = rig.state();
        assert!(
            rig.does(answer(2, second))
                .contains(&Effect::Tell(Notice::Equivocation))
        );
        assert_eq!(rig.state(), state);
    }
}

/// Adversarial case F74: late at 30.001 s, at 299 s, and once more: recorded, an equivocation of the late one, nothing. MRP-15.
#[test]
fn a_late_answer_is_recorded_and_changes_nothing() {
    let mut rig = Rig::asked(30);
    let effects = rig.wait(30_001_000).does(success(1));
    assert_eq!(
        rig.state(),
        ExchangeState::TimedOut,
        "no timer had to go off"
    );
    assert!(
        effects.contains(&Effect::Tell(Notice::Late))
            && effects.contains(&Effect::KeepAnswer(hash(1)))
    );
    assert_eq!(
        (rig.exchange.answer(), rig.exchange.late()),
        (None, Some(&hash(1)))
    );
    rig.wait(269 * SECOND);
    assert_eq!(rig.does(success(1)), []);
    assert!(
        rig.does(success(2))
            .contains(&Effect::Tell(Notice::Equivocation))
    );
    assert_eq!(rig.state(), ExchangeState::TimedOut);
    assert_eq!(
        rig.exchange.late(),
        Some(&hash(1)),
        "the first is the one that can be adopted"
    );
}

/// Adversarial case F74: a late answer can be adopted for 24 hours, and is then verified like any other.
#[test]
fn a_late_answer_is_adopted_within_a_day() {
    let mut rig = Rig::asked(30);
    rig.wait(299 * SECOND).does(success(1));
    assert_eq!(
        rig.does(Event::Adopt { hash: hash(2) }),
        [Effect::Tell(Notice::CannotAdopt)]
    );
    let mut never = rig.clone();
    never.wait(24 * HOUR + 1);
    assert_eq!(
        never.does(Event::Adopt { hash: hash(1) }),
        [Effect::Tell(Notice::CannotAdopt)]
    );
    rig.wait(24 * HOUR);
    assert!(
        rig.does(Event::Adopt { hash: hash(1) })
            .contains(&Effect::Verify(hash(1)))
    );
    assert_eq!(
        (rig.state(), rig.exchange.answer()),
        (ExchangeState::Received, Some(&hash(1)))
    );
    rig.does(passed(1, 0));
    rig.does(Event::Kept);
    assert_eq!(rig.state(), ExchangeState::Stored);
}

/// Adversarial case F74: what came after a cancellation is recorded too, and what was here before it can be taken back up.
#[test]
fn an_answer_to_a_cancelled_question_can_be_adopted() {
    let mut after = Rig::asked(30);
    after.does(Event::Cancel);
    after.does(success(1));
    let mut before = Rig::asked(30);
    before.does(success(1));
    before.does(Event::Cancel);
    for mut rig in [after, before] {
        assert_eq!(
            (rig.state(), rig.exchange.late()),
            (ExchangeState::Cancelled, Some(&hash(1)))
        );
        rig.restart();
        assert!(
            rig.does(Event::Adopt { hash: hash(1) })
                .contains(&Effect::Verify(hash(1)))
        );
    }
}

/// Adversarial case F75: an answer that comes while one is verified does not disturb it.
#[test]
fn an_answer_while_one_is_verified_is_ignored() {
    let mut rig = Rig::asked(30);
    rig.does(success(1));
    assert_eq!(rig.does(success(1)), []);
    rig.does(passed(1, 0));
    assert_eq!(rig.state(), ExchangeState::Verified);
    assert_eq!(rig.does(success(1)), []);
}

/// Adversarial case F75: a crash between verified and stored: it is stored again, which is to store once; before that, verified again.
#[test]
fn a_restart_takes_up_where_the_rows_end() {
    let mut rig = Rig::asked(30);
    let effects = rig.restart();
    assert_eq!((sends(&effects), rig.state()), (1, ExchangeState::Sent));
    rig.does(success(1));
    assert!(rig.restart().contains(&Effect::Verify(hash(1))));
    assert_eq!(rig.state(), ExchangeState::Received);
    rig.does(passed(1, 1));
    let rows = rig.rows.len();
    assert_eq!(rig.restart(), [Effect::Store]);
    assert_eq!(
        (rig.state(), rig.rows.len()),
        (ExchangeState::PartiallyVerified, rows)
    );
    rig.does(Event::Kept);
    assert_eq!(rig.restart(), [], "what is final stays so");
}
