//! Claims of two processes on one store: one winner for each contradiction, and nothing that was acknowledged is lost
//! (I5, I9).

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use counterfoil_claims::{
    Cardinality, Channels, Disposition, FactValue, Identifier, Line, Settings, Submission,
};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{AsOf, ClaimRequest, ClaimStore};

use crate::common::{Place, agent, block_on, is_clean};

/// Set for the child processes alone.
const FOLDER: &str = "COUNTERFOIL_TEST_CLAIMS";
const NAME: &str = "COUNTERFOIL_TEST_CLAIMANT";
const PAIRS: usize = 50;
const THREADS: usize = 8;
const KILLS: usize = 10;

fn name(text: &str) -> Identifier {
    Identifier::new("name", text).unwrap()
}

fn line(subject: &str) -> Line {
    Line {
        agent: agent(1).agent(),
        subject: name(subject),
        predicate: name("born in"),
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

fn child(test: &str, folder: &Path, name: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(FOLDER, folder)
        .env(NAME, name)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

fn say(what: &str) {
    let line = format!("say {what}\n");
    std::io::stdout().write_all(line.as_bytes()).unwrap();
}

fn heard(child: &mut Child) -> Vec<String> {
    let output = BufReader::new(child.stdout.take().unwrap());
    let lines = output.lines().map_while(Result::ok);
    lines
        .filter_map(|line| Some(line.split_once("say ")?.1.to_owned()))
        .collect()
}

/// I5, I7, I9, CLM-47, CLM-48: of two processes with eight threads each that contradict each other about fifty facts,
/// one is committed about each fact and the other contested; no read fails meanwhile.
#[test]
fn of_each_contradictory_pair_exactly_one_is_committed() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return contradict(folder.as_ref(), &std::env::var(NAME).unwrap());
    }
    let place = Place::new();
    drop(place.create());
    let test = "claims::of_each_contradictory_pair_exactly_one_is_committed";
    let mut children = ["Faro", "Evora"].map(|town| child(test, place.folder.path(), town));
    let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for child in &mut children {
        for line in heard(child) {
            let (subject, disposition) = line.split_once(' ').unwrap();
            let all = told.entry(subject.to_owned()).or_default();
            all.push(disposition.to_owned());
        }
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(told.len(), PAIRS);
    for (subject, mut dispositions) in told {
        dispositions.sort();
        assert_eq!(dispositions, ["committed", "contested"], "{subject}");
    }
    let store = place.open();
    let settings = Arc::new(Settings::default());
    let contested = ClaimStore::contested(
        &store,
        agent(1).agent(),
        AsOf::default(),
        None,
        PAIRS * 2,
        settings,
    );
    assert_eq!(block_on(contested).unwrap().len(), PAIRS);
    is_clean(&store);
}

/// In the child: eight threads share the facts; two more read all the while.
fn contradict(folder: &Path, town: &str) {
    let store = SqliteStore::open(Place::options_in(folder)).unwrap();
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
        for thread in threads {
            thread.join().unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
}

/// I9, CAP-36: a process is killed at any moment: what it was told is there, what it was not told is known by its key,
/// and nothing is torn.
#[test]
fn what_was_told_survives_being_killed() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return claim_until_killed(folder.as_ref(), &std::env::var(NAME).unwrap());
    }
    let place = Place::new();
    drop(place.create());
    let test = "claims::what_was_told_survives_being_killed";
    let mut keys = Vec::new();
    for round in 0..KILLS {
        let mut child = child(test, place.folder.path(), &format!("{round}"));
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let said = output.by_ref().map_while(Result::ok);
        let said = said.filter_map(|line| Some(line.split_once("say ")?.1.to_owned()));
        keys.extend(said.take(3 + round * 5));
        child.kill().unwrap();
        let rest = output.map_while(Result::ok);
        keys.extend(rest.filter_map(|line| {
            let (key, end) = line.split_once("say ")?.1.split_once('.')?;
            Some(format!("{key}.{end}"))
        }));
        child.wait().unwrap();
        let store = place.open();
        for key in &keys {
            let key = key.trim_end_matches('.');
            let outcome = block_on(store.committed(agent(1).agent(), key)).unwrap();
            assert!(outcome.is_some(), "round {round}: {key} was lost");
        }
    }
    let store = place.open();
    is_clean(&store);
    let rebuilt = block_on(store.rebuild()).unwrap();
    assert_eq!(rebuilt.before, Some(rebuilt.after));
}

/// A last line that was cut off was not said: each ends with a full stop.
fn claim_until_killed(folder: &Path, round: &str) {
    let store = SqliteStore::open(Place::options_in(folder)).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let store = &store;
            scope.spawn(move || {
                for number in 0.. {
                    let key = format!("{round}-{thread}-{number}");
                    let subject = format!("person-{}", number % 7);
                    told(store, claim(&subject, &key, &key));
                    say(&format!("{key}."));
                }
            });
        }
    });
}
