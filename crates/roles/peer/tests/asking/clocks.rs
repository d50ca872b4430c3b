//! Deadlines, whatever the clocks do.

use std::sync::Arc;

use counterfoil_exchange::documents::Request;
use counterfoil_exchange::machine::ExchangeState;
use counterfoil_exchange::trust::Level;

use crate::answers::{answer, key, memory, text};
use crate::rig::{Comes, Rig, SECOND_US, Scripted, question};

fn after(us: u64) -> impl FnMut(&Request) -> Vec<(u64, Comes)> {
    move |request| {
        let bytes = answer(request, vec![memory("m1", text("in time"))]);
        vec![(us, Comes::Bytes(bytes))]
    }
}

/// Adversarial case F76: somebody sets the wall clock while an answer is waited for; the deadline does not care.
#[test]
fn f76_the_wall_clock_may_jump() {
    for hours in [1_i64, -1] {
        let rig = Rig::new();
        let clocks = Arc::clone(&rig.clocks);
        let mut script = after(27 * SECOND_US);
        let mut way = Scripted::new(&rig, move |request| {
            clocks.jump(hours * 3600 * 1_000_000);
            script(request)
        });
        let report = rig.ask(question(Some(key(9))), &mut way);
        assert_eq!(report.state, ExchangeState::Stored, "{hours} h: {report:?}");

        let rig = Rig::new();
        let clocks = Arc::clone(&rig.clocks);
        let mut way = Scripted::new(&rig, move |_| {
            clocks.jump(hours * 3600 * 1_000_000);
            Vec::new()
        });
        let report = rig.ask(question(Some(key(9))), &mut way);
        assert_eq!(report.state, ExchangeState::TimedOut);
        assert_eq!(rig.clocks.monotonic(), 30 * SECOND_US);
    }
}

/// Adversarial case F77: the machine slept for eight hours with the question open: it has timed out when it wakes.
#[test]
fn f77_eight_hours_asleep_are_too_long() {
    let rig = Rig::new();
    let clocks = Arc::clone(&rig.clocks);
    let mut script = after(SECOND_US);
    let mut way = Scripted::new(&rig, move |request| {
        let comes = script(request);
        clocks.pass(8 * 3600 * SECOND_US);
        comes
    });
    let report = rig.ask(question(Some(key(9))), &mut way);
    assert_eq!(report.state, ExchangeState::TimedOut);
    assert_eq!(rig.size(), 0);

    // The same with the process gone meanwhile.
    let rig = Rig::new();
    let mut way = Scripted::silent(&rig);
    let id = rig.ask_and_stop(question(Some(key(9))), &mut way);
    rig.clocks.pass(8 * 3600 * SECOND_US);
    let mut way = Scripted::new(&rig, after(0));
    let report = rig.resume(&id, &mut way);
    assert_eq!((report.state, way.sent.len()), (ExchangeState::TimedOut, 0));
}

/// R8: a decision counts at once, also while the clock is behind the log.
#[test]
fn a_clock_that_went_back_hides_no_decision() {
    let rig = Rig::new();
    rig.trust(key(9));
    rig.clocks.jump(-3_600_000_000);
    let mut way = Scripted::new(&rig, after(0));
    let report = rig.ask(question(Some(key(9))), &mut way);
    assert_eq!(report.level, Level::Direct);
}
