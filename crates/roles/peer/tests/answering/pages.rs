//! Answers in part, and cursors (R22; case 82).

use counterfoil_exchange::answering::Refusal;
use counterfoil_exchange::documents::{Request, StatusCode, Text};
use serde_json::json;

use crate::support::{Rig, SECOND_US, agent, names, query, rule, settings};

fn rig() -> Rig {
    let rig = Rig::new(settings(vec![rule("friends")]));
    rig.remember_tea(&["a", "b", "c", "d", "e"], "friends");
    rig
}

fn page(rig: &Rig, cursor: Option<Text<1024>>) -> Request {
    rig.request_with(|parts| {
        parts.preferences.max_results = 2;
        parts.preferences.cursor = cursor;
    })
}

fn cursor_of(rig: &Rig) -> Text<1024> {
    let first = rig.answer(&page(rig, None));
    first.parts().meta.cursor.clone().unwrap()
}

/// R22: pages laid end to end are all there is, each once, and nothing that came meanwhile.
#[test]
fn pages_laid_end_to_end_are_the_whole_answer() {
    let rig = rig();
    let (mut all, mut cursor) = (Vec::new(), None);
    for number in 0..3 {
        let response = rig.answer(&page(&rig, cursor));
        let parts = response.parts();
        let is_partial = parts.status.code == StatusCode::Partial;
        assert_eq!(parts.status.message.is_some(), is_partial);
        assert_eq!(parts.meta.cursor.is_some(), is_partial);
        all.extend(names(&response));
        cursor = parts.meta.cursor.clone();
        let data = json!({"text": "tea tea", "share": "friends"});
        rig.remember(&format!("new{number}"), data);
    }
    assert_eq!(cursor, None);
    all.sort_unstable();
    assert_eq!(all, ["a", "b", "c", "d", "e"]);
}

/// Adversarial case F82: a cursor of another requester, of another question, edited, expired, or of no one.
#[test]
fn a_cursor_is_of_its_asker_and_question_and_expires() {
    let rig = rig();
    let cursor = cursor_of(&rig);
    let refused = |request: &Request| assert_eq!(rig.try_answer(request), Err(Refusal::BadCursor));
    let mut theirs = rig.parts();
    theirs.preferences.cursor = Some(cursor.clone());
    refused(&Request::sign(theirs.clone(), &agent(22)).unwrap());
    refused(&Request::anonymous(theirs).unwrap());
    refused(&rig.request_with(|parts| {
        parts.query = query("tea and milk");
        parts.preferences.cursor = Some(cursor.clone());
    }));
    let edited = cursor.as_str().replacen('A', "B", 1);
    refused(&page(&rig, Text::new(edited).ok()));
    assert_eq!(rig.told(&page(&rig, Some(cursor.clone()))).len(), 2);
    let rig = rig.restarted();
    assert_eq!(
        rig.told(&page(&rig, Some(cursor.clone()))).len(),
        2,
        "a restart changes nothing"
    );
    rig.timer.pass(601 * SECOND_US);
    assert_eq!(
        rig.try_answer(&page(&rig, Some(cursor))),
        Err(Refusal::BadCursor)
    );
}

/// R15: a document has at most 1 MiB; what does not fit follows.
#[test]
fn large_memories_are_told_in_several_answers() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    let names: Vec<String> = (0..40).map(|number| format!("m{number}")).collect();
    for name in &names {
        let text = format!("tea {name} {}", "\"".repeat(30_000));
        rig.remember(name, json!({"text": text, "share": "friends"}));
    }
    let (mut all, mut cursor, mut answers) = (Vec::new(), None, 0);
    loop {
        let request = rig.request_with(|parts| {
            parts.preferences.max_results = 100;
            parts.preferences.cursor = cursor;
        });
        let bytes = rig.try_answer(&request).unwrap();
        assert!(bytes.len() <= 1 << 20);
        let response = counterfoil_exchange::documents::Response::parse(&bytes).unwrap();
        all.extend(crate::support::names(&response));
        answers += 1;
        cursor = response.parts().meta.cursor.clone();
        if cursor.is_none() {
            break;
        }
    }
    all.sort_unstable();
    let mut names = names;
    names.sort_unstable();
    assert_eq!(all, names);
    assert!(answers > 2);
}
