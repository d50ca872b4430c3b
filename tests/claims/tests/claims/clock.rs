//! A clock that jumps: nothing is hidden, and the order of what was recorded stays (I2). The clock is injected: a store
//! reads no other, so what moves the clock of a whole process (libfaketime) would show nothing more.

use counterfoil_claims_tests::answer::{Answer, Status};
use counterfoil_claims_tests::calendar::{DAY, Micros};
use counterfoil_claims_tests::request::Who;
use counterfoil_store::conformance::block_on;
use counterfoil_store::{ClaimStore, StoreError};

use crate::backend::{Asked, Backend, Host, LineName};
use crate::engine::{did, signer};
use crate::laws::{statement, write};
use crate::random::Random;
use crate::script::BEGIN;
use crate::store::Stored;

fn line() -> LineName {
    ("s".into(), "p".into())
}

/// I2, CLM-6, CLM-7; the same when the store is opened again.
#[test]
fn a_clock_that_jumps_hides_nothing() {
    let mut backend = Stored::new(&Host::default(), BEGIN);
    let mut random = Random::new(3);
    let mut stamps: Vec<Micros> = Vec::new();
    let mut now = BEGIN;
    for number in 0..60 {
        now = (now + random.of(&[-700 * DAY, -DAY, -1, 0, 1, DAY, 300 * DAY])).max(BEGIN);
        backend.clock(now);
        let mut said = statement(&line());
        said.value = format!("{number}");
        let Answer::Done(done) = write(&mut backend, Who::User, said) else {
            panic!("a user may speak");
        };
        assert_eq!(done.written, Some(number));
        // What was said is believed at once, wherever the clock has gone.
        for shift in [-900 * DAY, 0, 1] {
            backend.clock((now + shift).max(BEGIN));
            let belief = backend.believe(0, &line(), Asked::default());
            assert_eq!(belief.sides.len(), number + 1);
        }
        stamps = backend
            .units(0, &line())
            .into_iter()
            .map(|(_, stamp)| stamp)
            .collect();
        assert_eq!(stamps.len(), number + 1);
    }
    assert!(stamps.is_sorted_by(|earlier, later| earlier < later));
    for (number, stamp) in stamps.iter().enumerate() {
        let asked = Asked {
            valid_at: None,
            as_of: Some(*stamp),
        };
        let belief = backend.believe(0, &line(), asked);
        assert_eq!(belief.sides.len(), number + 1);
        assert_eq!(belief.status == Status::Contested, number > 0);
    }
    backend.clock(BEGIN);
    backend.reopen();
    let belief = backend.believe(0, &line(), Asked::default());
    assert_eq!(belief.sides.len(), 60);
}

/// I2: a clock from before the program, or one that leaps farther than it may, is refused, and nothing is written.
#[test]
fn a_clock_that_cannot_be_is_refused() {
    let mut stored = Stored::new(&Host::default(), BEGIN);
    write(&mut stored, Who::User, statement(&line()));
    for wrong in [1_000_000, BEGIN + 4000 * DAY] {
        stored.clock(wrong);
        let mut said = statement(&line());
        said.value = "\"b\"".into();
        let told =
            crate::engine::Names::default().request(&counterfoil_claims_tests::request::Request {
                agent: 0,
                who: Who::User,
                key: None,
                wish: counterfoil_claims_tests::request::Wish::State(said),
            });
        let submitted =
            stored
                .store()
                .submit(signer(0), stored.settings.clone(), vec![told.unwrap()]);
        let refused = block_on(submitted).unwrap_err();
        let is_refused = match refused {
            StoreError::ClockImplausible(_) => wrong < BEGIN,
            StoreError::ClockLeap { .. } => wrong > BEGIN,
            _ => false,
        };
        assert!(is_refused, "{refused}");
    }
    stored.clock(BEGIN);
    assert_eq!(stored.units(0, &line()).len(), 1);
    assert!(
        block_on(stored.store().last_recorded(did(0)))
            .unwrap()
            .is_some()
    );
}
