//! Claims of two processes on one store: one winner for each contradiction (I5, I9).

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use counterfoil_claims::{
    Cardinality, Channels, Disposition, FactValue, Identifier, Line, Settings, Submission,
};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{AsOf, ClaimRequest, ClaimStore};
use counterfoil_types::Scope;

use crate::common::{Child, Place, agent, block_on, given, is_clean, say};

const PAIRS: usize = 50;
const THREADS: usize = 8;

fn name(text: &str) -> Identifier {
    Identifier::new("name", text).unwrap()
}

fn line(subject: &str) -> Line {
    Line {
        agent: agent(1).agent(),
        subject: name(subject),
        predicate: name("born in"),
        scope: Scope::new(),
    }
}

fn claim(subject: &str, town: &str, key: &str) -> ClaimRequest {
    let user = Channels::of_host().user();
    let town = FactValue::new(&town.into()).unwrap();
    let said = Submission::new(&user, name(subject), name("born in"), town)
        .cardinality(Cardinality::One)
        .keyed(key)
        .unwrap();
    ClaimRequest::Submit(said)
}

/// The disposition that is answered.
fn told(store: &SqliteStore, request: ClaimRequest) -> Disposition {
    let settings = Arc::new(Settings::default());
    let answers = block_on(store.submit(agent(1), settings, vec![request])).unwrap();
    answers.into_iter().next().unwrap().unwrap().disposition
}

/// I5, I7, I9, CLM-47, CLM-48: of two processes with eight threads each that contradict each other about fifty facts,
/// one is committed about each fact and the other contested; no read fails meanwhile.
#[test]
fn of_each_contradictory_pair_exactly_one_is_committed() {
    if let Some((folder, town)) = given() {
        return contradict(&folder, &town);
    }
    let place = Place::new();
    drop(place.create());
    let test = "claims::of_each_contradictory_pair_exactly_one_is_committed";
    let mut children = ["Faro", "Evora"].map(|town| Child::start(test, &place, town));
    let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for child in &mut children {
        for line in child.heard() {
            let (subject, disposition) = line.split_once(' ').unwrap();
            let all = told.entry(subject.to_owned()).or_default();
            all.push(disposition.to_owned());
        }
        assert!(child.ends_well());
    }
    assert_eq!(told.len(), PAIRS);
    for (subject, mut dispositions) in told {
        dispositions.sort();
        assert_eq!(dispositions, ["committed", "contested"], "{subject}");
    }
    let store = place.open();
    let settings = Arc::new(Settings::default());
    let (own, asked) = (agent(1).agent(), AsOf::default());
    let contested =
        ClaimStore::contested(&store, own, Scope::new(), asked, None, PAIRS * 2, settings);
    assert_eq!(block_on(contested).unwrap().len(), PAIRS);
    is_clean(&store);
}

/// In the child: eight threads share the facts; two more read all the while.
fn contradict(folder: &Path, town: &str) {
    let store = Place::open_in(folder).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for reader in 0..2 {
            let (store, done) = (&store, &done);
            scope.spawn(move || {
                let mut number = reader;
                while !done.load(Ordering::Relaxed) {
                    let line = line(&format!("person-{}", number % PAIRS));
                    let settings = Arc::new(Settings::default());
                    block_on(store.believe(line, AsOf::default(), settings)).unwrap();
                    number += 1;
                }
            });
        }
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let store = &store;
                scope.spawn(move || {
                    for number in (thread..PAIRS).step_by(THREADS) {
                        let subject = format!("person-{number}");
                        let key = format!("{town}-{number}");
                        let disposition = told(store, claim(&subject, town, &key));
                        say(&format!("{subject} {}", disposition.name()));
                    }
                })
            })
            .collect();
        let ended: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        // The readers end also when a writer has panicked.
        done.store(true, Ordering::Relaxed);
        for result in ended {
            result.unwrap();
        }
    });
}
