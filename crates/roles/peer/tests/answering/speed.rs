//! What an answer costs on one core, beside what cannot be saved. Run by hand:
//! `cargo test --release -p counterfoil-peer --test answering speed -- --ignored --nocapture`.

use std::future::{Future, poll_fn};
use std::hint::black_box;
use std::task::Poll;
use std::time::{Duration, Instant};

use counterfoil_capsule::Signer;
use counterfoil_exchange::answering::{Admission, SeenQuotas, Sighting, admit};
use counterfoil_exchange::documents::Request;
use counterfoil_peer::answering::AnsweringSettings;
use counterfoil_selector::content_words;
use counterfoil_store::Draft;
use counterfoil_store::conformance::block_on;
use counterfoil_store::text_index::{TextIndex, TextQuery};
use serde_json::json;

use crate::support::{Kind, NOW_US, Rig, ann, home, query, rule, settings, world};

const MEMORIES: usize = 10_000;
const ASKED: usize = 4_000;
/// Requests that are answered at the same time, as by a server.
const AT_ONCE: usize = 64;

#[test]
#[ignore = "measures; run by hand in release"]
fn answers_a_second() {
    let quotas = SeenQuotas {
        per_key: 1_000_000,
        in_all: 1_000_000,
    };
    let settings = AnsweringSettings {
        quotas,
        ..settings(vec![rule("friends")])
    };
    let rig = Rig::new(Kind::Sqlite, settings);
    fill(&rig);
    let question = |number: usize| format!("what do you know about subject{} here", number % 2000);
    let requests: Vec<Request> = (0..2 * ASKED)
        .map(|number| {
            let mut parts = rig.parts();
            parts.query = query(&question(number));
            Request::sign(parts, &ann()).unwrap()
        })
        .collect();
    let (first, second) = requests.split_at(ASKED);
    answers(
        &rig,
        "answers, the memories for the first time or the second",
        first,
    );
    answers(&rig, "answers, memories on the shelf", second);
    measure("of that: admission", |number| {
        let own = [rig.key()];
        let with = Admission {
            own: &own,
            now_us: NOW_US,
        };
        assert!(admit(requests[number].bytes(), with).is_ok());
    });
    measure(
        "alone: two signatures, one made and one checked",
        |number| {
            black_box(rig.signer.sign(requests[number].bytes()));
            black_box(requests[number].signature());
        },
    );
    measure("alone: the index", |number| {
        let words = content_words(&question(number)).unwrap();
        let query = TextQuery::new(words).unwrap().page(0, 6);
        assert!(
            block_on(TextIndex::search(rig.index.as_ref(), &query))
                .unwrap()
                .len()
                >= 5
        );
    });
    measure("of that: the sighting, each by itself", |number| {
        let sighting = Sighting {
            key: rig.key(),
            request_id: requests[number].parts().header.request_id.clone(),
            hash: *requests[number].hash().digest(),
            until_us: NOW_US * 2,
        };
        assert!(block_on(rig.store().see(sighting, NOW_US, quotas)).is_ok());
    });
}

/// Answers all of them, many at once, on this thread.
fn answers(rig: &Rig, what: &str, requests: &[Request]) {
    let (begun, used) = (Instant::now(), used());
    let mut left = requests.iter().map(|request| {
        let answer = rig.answering.answer(request.bytes(), home());
        Box::pin(async move { assert!(answer.await.unwrap().len() > 4_000) })
    });
    let mut going: Vec<_> = left.by_ref().take(AT_ONCE).collect();
    block_on(poll_fn(|context| {
        let mut at = 0;
        while at < going.len() {
            if going[at].as_mut().poll(context).is_pending() {
                at += 1;
            } else if let Some(next) = left.next() {
                going[at] = next;
            } else {
                drop(going.swap_remove(at));
            }
        }
        if going.is_empty() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }));
    report(what, begun.elapsed(), self::used() - used);
}

fn measure(what: &str, each: impl FnMut(usize)) {
    let (begun, used) = (Instant::now(), used());
    (0..ASKED).for_each(each);
    report(what, begun.elapsed(), self::used() - used);
}

/// R14: what remains to be told by the clock. One who may ask, about memories that all bear another label, first after the log
/// has grown: as many as are looked at are opened, which has to be over within a step of `no_match`.
#[test]
#[ignore = "measures; run by hand in release"]
fn no_match_under_another_label_within_a_step() {
    for letters in [40, 4_000, 64_000] {
        let rig = Rig::new(Kind::Sqlite, settings(vec![rule("friends")]));
        let drafts = (0..300).map(|number| {
            let text = format!("tea {number} {}", "x".repeat(letters));
            Draft::new(world(
                &format!("world-{number}"),
                json!({"kind": "note", "text": text, "share": "others"}),
            ))
        });
        block_on(rig.store().append(rig.signer.clone(), drafts.collect())).unwrap();
        for words in ["tea", "tea, when the shelf is full", "coffee"] {
            let mut took: Vec<Duration> = (0..20)
                .map(|number| {
                    if !words.contains("full") {
                        let name = format!("new-{words}-{number}");
                        rig.remember(&name, json!({"text": "nothing"}));
                    }
                    let question = words.split(',').next().unwrap();
                    let request = rig.request_with(|parts| parts.query = query(question));
                    let begun = Instant::now();
                    rig.try_answer(&request).unwrap();
                    begun.elapsed()
                })
                .collect();
            let first = took[0];
            took.sort_unstable();
            println!(
                "{letters} letters, {words}: first {first:?}, best {:?}, median {:?}, worst {:?}; a step has {:?}",
                took[0],
                took[10],
                took[19],
                Duration::from_micros(rig.settings.no_match_step_us),
            );
            assert!(took[10] < Duration::from_micros(rig.settings.no_match_step_us));
        }
    }
}

/// By the clock, and by what all threads of the process have used: on a busy machine only the second says something.
fn report(what: &str, took: Duration, used: Duration) {
    let times = u32::try_from(ASKED).unwrap();
    let a_core = 1.0 / (used / times).as_secs_f64();
    println!(
        "{what}: {:?} each; of one core {:?}, {a_core:.0}/s",
        took / times,
        used / times
    );
}

/// What this process has used, user and system, in steps of 10 ms.
fn used() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    let ticks: u64 = fields[11..13]
        .iter()
        .map(|ticks| ticks.parse::<u64>().unwrap())
        .sum();
    Duration::from_millis(ticks * 10)
}

fn fill(rig: &Rig) {
    for begin in (0..MEMORIES).step_by(1_000) {
        let drafts = (begin..begin + 1_000).map(|number| {
            let (subject, place) = (number % 2000, number % 97);
            let text = format!("note {number} about subject{subject} and place{place}");
            let data = json!({"kind": "note", "text": text, "share": "friends"});
            Draft::new(world(&format!("world-{number}"), data))
        });
        block_on(rig.store().append(rig.signer.clone(), drafts.collect())).unwrap();
    }
}
