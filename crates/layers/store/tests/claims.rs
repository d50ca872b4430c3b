//! Claims in memory under threads: one winner for each contradictory pair, and no failed read (I5, I7, I9).
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use counterfoil_claims::belief::BeliefStatus;
use counterfoil_claims::time::{Boundary, ValidTime};
use counterfoil_claims::{
    Channels, Disposition, FactValue, Identifier, Line, Settings, Submission,
};
use counterfoil_store::conformance::{Setup, block_on};
use counterfoil_store::{AsOf, CapsuleLog, ClaimRequest, ClaimStore, InMemoryStore};
use counterfoil_types::Confidence;

const THREADS: usize = 8;
const LINES: usize = 20;

fn line(setup: &Setup, number: usize) -> Line {
    Line {
        agent: setup.agent(1).agent(),
        subject: Identifier::new("subject", &format!("resident {number}")).unwrap(),
        predicate: Identifier::new("predicate", "lives in").unwrap(),
    }
}

fn claim(line: &Line, value: usize) -> ClaimRequest {
    let value = FactValue::new(&format!("town {value}").into()).unwrap();
    let valid = ValidTime {
        from: Some(Boundary::parse("2020").unwrap()),
        until: None,
        confidence: Confidence::ONE,
    };
    let (user, line) = (Channels::of_host().user(), line.clone());
    let fact = Submission::new(&user, line.subject, line.predicate, value);
    ClaimRequest::Submit(fact.valid(valid).unwrap())
}

/// I5, I7, I9: of eight threads, each claims another town on the same lines. One of them is committed, all others are
/// told that they contradict; whoever reads meanwhile gets an answer that holds.
#[test]
fn of_eight_threads_one_wins_each_line_and_reads_go_on() {
    let setup = Setup::new();
    let (clock, entropy) = (setup.clock.clone(), setup.entropy.clone());
    let store = InMemoryStore::new(setup.note_signer().unwrap(), clock, entropy);
    let (settings, done) = (Arc::new(Settings::default()), AtomicBool::new(false));
    let committed: usize = thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut reads = 0;
            while !done.load(Ordering::SeqCst) || reads == 0 {
                let line = line(&setup, reads % LINES);
                let belief = store.believe(line, AsOf::default(), settings.clone());
                let status = block_on(belief).unwrap().status;
                assert!(
                    [
                        BeliefStatus::NoBelief,
                        BeliefStatus::TimingUncertain,
                        BeliefStatus::Resolved,
                        BeliefStatus::Contested
                    ]
                    .contains(&status),
                    "{status:?}"
                );
                reads += 1;
            }
        });
        let writers: Vec<_> = (0..THREADS)
            .map(|number| {
                let (store, setup, settings) = (&store, &setup, &settings);
                scope.spawn(move || {
                    let won = (0..LINES).filter(|at| {
                        let request = vec![claim(&line(setup, *at), number)];
                        let told = store.submit(setup.agent(1), settings.clone(), request);
                        let told = block_on(told).unwrap().remove(0).unwrap();
                        assert!(told.written.is_some());
                        told.disposition == Disposition::Committed
                    });
                    won.count()
                })
            })
            .collect();
        let won = writers.into_iter().map(|writer| writer.join().unwrap());
        let won = won.sum();
        done.store(true, Ordering::SeqCst);
        reader.join().unwrap();
        won
    });
    assert_eq!(committed, LINES);
    let size = u64::try_from(THREADS * LINES).unwrap();
    assert_eq!(block_on(store.size()).unwrap(), size);
    for at in 0..LINES {
        let belief = store.believe(line(&setup, at), AsOf::default(), settings.clone());
        let belief = block_on(belief).unwrap();
        assert_eq!(
            (belief.status, belief.sides.len()),
            (BeliefStatus::Contested, THREADS)
        );
    }
}
