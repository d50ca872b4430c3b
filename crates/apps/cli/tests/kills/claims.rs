//! Claims that contradict each other, stated by programs that are killed (I9): what was acknowledged stays, what was not
//! is there once or not at all, and the key of a request says which.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::kills::{Random, kills_wanted, seed};
use crate::store::{Ended, Store};

/// How long a writer is left alone at most.
const LONGEST_US: u64 = 90_000;

/// What was asked for under a key: the subject, and the claim that was acknowledged.
type Requests = Mutex<BTreeMap<String, (String, Option<String>)>>;

/// The arguments of a request. Both writers state another value of the same line, each through its own channel.
fn request<'a>(subject: &'a str, key: &'a str) -> [&'a str; 9] {
    let channel = match key.starts_with("writer 0") {
        true => "user",
        false => "first-hand",
    };
    let add = [
        "claim",
        "add",
        subject,
        "is",
        key,
        "--key",
        key,
        "--channel",
    ];
    let [a, b, c, d, e, f, g, h] = add;
    [a, b, c, d, e, f, g, h, channel]
}

/// States claims until it was killed `wanted` times.
fn write(store: &Store, requests: &Requests, writer: usize, wanted: usize) {
    let mut random = Random(seed() + u64::try_from(writer).unwrap());
    let mut kills = 0;
    for round in 0.. {
        if kills == wanted {
            return;
        }
        let (subject, key) = (
            format!("subject {round}"),
            format!("writer {writer} round {round}"),
        );
        let patience = Duration::from_micros(random.below(LONGEST_US));
        let printed = match store.killed_after(patience, &request(&subject, &key)) {
            Ended::Killed { printed } => {
                kills += 1;
                printed
            }
            Ended::Done { printed, .. } => printed,
            Ended::Refused { complaint } => panic!("{complaint}"),
        };
        let answer: Option<Value> = serde_json::from_str(&printed).ok();
        let claim = answer.map(|answer| answer["ref"].as_str().unwrap().to_owned());
        requests.lock().unwrap().insert(key, (subject, claim));
    }
}

/// Each request is said again, and the answer is that of the first time.
fn say_again(store: &Store, key: &str, subject: &str, acknowledged: Option<&String>) -> bool {
    let did = store.json(&["claim", "did", key]);
    let committed = did["committed"].as_bool().unwrap();
    assert!(
        committed || acknowledged.is_none(),
        "{key} was acknowledged and is lost"
    );
    let mut again = store.json(&request(subject, key));
    // What is printed names its type; the log keeps the answer alone.
    let printed = again.as_object_mut().unwrap();
    assert!(printed.remove("type").is_some() && printed.remove("version").is_some());
    if committed {
        assert_eq!(again, did["answer"], "{key}");
    }
    if let Some(claim) = acknowledged {
        assert_eq!(again["ref"], claim.as_str(), "{key}");
    }
    committed && acknowledged.is_none()
}

/// I9, CLM-49, CAP-36.
#[test]
fn claims_of_writers_that_are_killed_are_there_once_or_not_at_all() {
    let (store, requests) = (Store::new(), Requests::default());
    let wanted = (kills_wanted() / 20).max(5);
    thread::scope(|scope| {
        for writer in 0..2 {
            let (store, requests) = (&store, &requests);
            scope.spawn(move || write(store, requests, writer, wanted));
        }
    });
    let requests = requests.into_inner().unwrap();
    let mut unheard = 0;
    for (key, (subject, claim)) in &requests {
        unheard += usize::from(say_again(&store, key, subject, claim.as_ref()));
    }
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for (subject, _) in requests.values() {
        *lines.entry(subject.as_str()).or_default() += 1;
    }
    for (subject, stated) in lines {
        let history = store.json(&["history", subject, "is"]);
        let claims = history["claims"].as_array().unwrap();
        assert_eq!(claims.len(), stated, "{subject}: each value once");
        let first = claims
            .iter()
            .filter(|claim| claim["disposition"] == "committed");
        assert_eq!(
            first.count(),
            1,
            "{subject}: one came first, and the other knows of it"
        );
    }
    assert_eq!(store.json(&["check", "--deep"])["healthy"], true);
    println!(
        "claims: {} kills, {} requests, {unheard} kept without an answer, 0 lost",
        2 * wanted,
        requests.len()
    );
}
