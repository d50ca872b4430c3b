//! "There is no such memory" and "not for you" are one answer (R14; case 85).

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use counterfoil_exchange::documents::{Request, StatusCode};
use counterfoil_types::json::{Limits, Value, parse};
use serde_json::json;

use crate::support::{Rig, agent, query, rule, settings};

/// A rule for one key, and memories that nobody else may have: some about tea, none about coffee.
fn rig() -> Rig {
    let mut for_ann = rule("friends");
    for_ann.to = Some(vec![crate::support::ann_key()]);
    let rig = Rig::new(settings(vec![for_ann]));
    for number in 0..50 {
        let data = json!({"text": format!("tea {number}"), "share": "friends"});
        rig.remember(&format!("m{number}"), data);
    }
    rig.remember_tea(&["private"], "nobody");
    rig
}

fn by(rig: &Rig, seed: u8, words: &str) -> Request {
    let mut parts = rig.parts();
    parts.query = query(words);
    Request::sign(parts, &agent(seed)).unwrap()
}

/// All members with the lengths of their texts; what is drawn or dated is of one length, and a signature in base58 of about
/// one: it is a number.
fn shape(bytes: &[u8]) -> BTreeMap<String, usize> {
    fn walk(value: &Value, path: &str, shape: &mut BTreeMap<String, usize>) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    walk(value, &format!("{path}/{name}"), shape);
                }
            }
            _ if path.ends_with("/proofValue") => drop(shape.insert(path.to_owned(), 0)),
            other => drop(shape.insert(path.to_owned(), other.to_string().len())),
        }
    }
    let mut found = BTreeMap::new();
    walk(&parse(bytes, Limits::CONTENT).unwrap(), "", &mut found);
    found
}

/// What an answer has cost: searches with their words and hits, signatures, sleeps.
fn work(rig: &Rig, request: &Request) -> (Vec<(usize, usize)>, u64, u64) {
    rig.index.asked.lock().unwrap().clear();
    let (signed, slept) = (rig.signer.signed.load(Ordering::SeqCst), rig.timer.slept());
    rig.try_answer(request).unwrap();
    let searched = rig.index.asked.lock().unwrap().clone();
    (
        searched,
        rig.signer.signed.load(Ordering::SeqCst) - signed,
        rig.timer.slept() - slept,
    )
}

/// Adversarial case F85, R14: the same members of the same lengths, over many askers: whether there is something, or not, or no rule.
#[test]
fn no_match_and_not_for_you_have_the_same_bytes() {
    let rig = rig();
    let mut shapes = Vec::new();
    let mut sizes = [0_usize; 3];
    for asker in 100..150 {
        // Not for this one; nothing there; nothing there for one who may ask.
        let requests = [
            by(&rig, asker, "tea"),
            by(&rig, asker, "coffee"),
            by(&rig, 21, "coffee"),
        ];
        for (size, request) in sizes.iter_mut().zip(&requests) {
            let answer = rig.try_answer(request).unwrap();
            *size += answer.len();
            shapes.push(shape(&answer));
        }
    }
    assert!(shapes.windows(2).all(|two| two[0] == two[1]));
    let [theirs, nothing, mine] = sizes;
    // Of 50 signatures at most a few are a letter shorter; a member more or less would be 50 times its length.
    assert!(theirs.abs_diff(nothing) < 50 && theirs.abs_diff(mine) < 50);
}

/// Adversarial case F85, R14: the same work: as many searches for as many words that find nothing, one signature, one wait.
#[test]
fn no_match_and_not_for_you_are_the_same_work() {
    let rig = rig();
    let expected = (vec![(2, 0)], 1, 1);
    for asker in 100..110 {
        // Not for this one; nothing there; nothing for this one.
        for (by_whom, words) in [
            (asker, "green tea"),
            (asker, "black coffee"),
            (21, "black coffee"),
        ] {
            let found = work(&rig, &by(&rig, by_whom, words));
            assert_eq!(found, expected, "{by_whom} {words}");
        }
    }
}

/// Adversarial case F85, R14: by the clock both leave at a multiple of the same step after the request came.
#[test]
fn no_match_goes_out_at_a_step_of_the_clock() {
    let rig = rig();
    for words in ["tea", "coffee"] {
        let before = rig.timer.now_us();
        let answer = rig.answer(&by(&rig, 100, words));
        assert_eq!(answer.parts().status.code, StatusCode::NoMatch);
        assert_eq!(rig.timer.now_us() - before, rig.settings.no_match_step_us);
    }
    let before = rig.timer.now_us();
    assert_eq!(rig.answer(&by(&rig, 21, "tea")).parts().results.len(), 5);
    assert_eq!(rig.timer.now_us(), before, "what is told goes out at once");
}

/// Adversarial case F85, R14: one who may ask, and is told nothing: about what bears another label, and about what there is
/// not. Up to 256 memories are opened in order to find that out, which has to be over within a step of the clock.
#[test]
fn no_match_and_under_another_label_have_the_same_bytes_and_go_out_at_a_step() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    for number in 0..300 {
        let data = json!({"text": format!("tea {number}"), "share": "others"});
        rig.remember(&format!("m{number}"), data);
    }
    let mut shapes = Vec::new();
    for words in ["tea", "coffee", "tea", "coffee"] {
        let before = rig.timer.now_us();
        shapes.push(shape(&rig.try_answer(&by(&rig, 21, words)).unwrap()));
        assert_eq!(rig.timer.now_us() - before, rig.settings.no_match_step_us);
    }
    assert!(shapes.windows(2).all(|two| two[0] == two[1]));
}
