//! `extract`: what the rules propose has a model's standing, and never more (I4, I5).

use serde_json::json;

use crate::place::Place;

const CHAT: &str = "\
[2021-04-01 10:15] Ada: I moved to Porto in March 2021. I speak Dutch, French and English!
[2021-04-01 10:16] Bob: Do you live in Ghent? I have worked at Acme Corp since 2019.
[2021-04-01 10:17] Ada: I lived in Rome from 2021 to 2018.
[2021-04-01 10:18] Ada: I speak Dutch. If I lived in Ghent, I would say so.
";

pub(crate) fn with_chat() -> Place {
    let place = Place::new();
    let chat = place.file("chat.txt", CHAT.as_bytes());
    place.run(["import".as_ref(), chat.as_os_str()]).ok();
    place
}

/// I5, I6, CLM-29: what was read is a model's word, anchored in its memory, and is read once.
#[test]
fn rules_propose_and_the_gate_decides_and_twice_is_once() {
    let place = with_chat();
    let first = place.json(["extract", "--all"]);
    assert_eq!(
        (first["read"].as_u64(), first["proposals"].as_u64()),
        (Some(4), Some(7))
    );
    assert_eq!(
        first["became"],
        json!({"committed_inferred": 5, "corroborated": 1, "quarantined": 1})
    );
    let porto = &first["listed"][0];
    assert_eq!(
        (porto["subject"].as_str(), porto["value"].as_str()),
        (Some("Ada"), Some("Porto"))
    );
    assert_eq!(
        porto["valid"],
        json!({"from": "2021-03", "confidence": 0.95})
    );
    let belief = place.json(["believe", "Ada", "lives_in"]);
    assert_eq!(
        (belief["support"].as_str(), belief["status"].as_str()),
        (Some("inferred"), Some("resolved"))
    );
    let size = place.size();
    let second = place.json(["extract", "--all"]);
    assert_eq!(
        (second["written"].as_u64(), second["unchanged"].as_u64()),
        (Some(0), Some(7))
    );
    assert_eq!(second["leftOut"].as_u64(), Some(7), "units are not read");
    assert_eq!(place.size(), size);
}

/// I5: what a model read never unsettles what the user said.
#[test]
fn what_was_read_overturns_nothing() {
    let place = with_chat();
    place
        .run([
            "claim", "add", "Ada", "lives_in", "Ghent", "--from", "2021-01",
        ])
        .ok();
    place.run(["extract", "--all"]).ok();
    let belief = place.json(["believe", "Ada", "lives_in"]);
    assert_eq!(belief["sides"].as_array().unwrap().len(), 1);
    assert_eq!(belief["sides"][0]["value"], "Ghent");
}

/// Claims that were recorded since are no memories.
#[test]
fn the_memories_recorded_last_are_counted_without_the_claims() {
    let place = with_chat();
    place.run(["extract", "--all"]).ok();
    let told = place.json(["extract", "--all", "--dry-run", "--max", "2"]);
    assert_eq!(told["read"].as_u64(), Some(2), "{told:#}");
}

/// A later statement is believed for the later time, and the earlier one for its own.
const MOVES: [(&str, &str); 3] = [
    ("2023-05-08T10:00:00Z", "I live in Porto."),
    (
        "2024-02-01T09:00:00Z",
        "I live in Porto, and it rains. I work at Acme Corp.",
    ),
    ("2024-09-01T09:00:00Z", "Yesterday I moved to Leeds."),
];

fn turns(place: &Place, name: &str, said: &[(&str, &str)]) {
    let line = |(number, (time, text)): (usize, &(&str, &str))| {
        let turn = json!({"conversation": name, "id": format!("{number}"), "speaker": "Ada",
                          "time": time, "text": text});
        format!("{turn}\n")
    };
    let lines: String = said.iter().enumerate().map(line).collect();
    let file = place.file(&format!("{name}.jsonl"), lines.as_bytes());
    place.run(["import".as_ref(), file.as_os_str()]).ok();
    place.run(["extract", "--all"]).ok();
}

fn believed(place: &Place, predicate: &str, at: &str) -> String {
    let belief = place.json(["believe", "Ada", predicate, "--at", at]);
    let value = belief["value"].as_str().unwrap_or_default();
    format!("{} {value}", belief["status"].as_str().unwrap())
}

/// §6: a turn's own time is the time of its statement.
#[test]
fn the_later_word_is_believed_and_the_earlier_one_for_its_time() {
    let place = Place::new();
    turns(&place, "moves", &MOVES);
    for (at, expected) in [
        ("2023-05-07", "no_belief "),
        ("2023-05-08", "resolved Porto"),
        ("2024-08-30", "resolved Porto"),
        ("2024-09-01", "resolved Leeds"),
        ("2026-01-01", "resolved Leeds"),
    ] {
        assert_eq!(believed(&place, "lives_in", at), expected, "{at}");
    }
    let (size, again) = (place.size(), place.json(["extract", "--all"]));
    assert_eq!(
        (again["written"].as_u64(), place.size()),
        (Some(0), size),
        "{again:#}"
    );
}

/// The time of a statement is that of its turn, and not of its import.
#[test]
fn an_older_conversation_that_is_read_later_changes_nothing_of_the_later_time() {
    let place = Place::new();
    turns(&place, "late", &MOVES[2..]);
    turns(
        &place,
        "early",
        &[("2022-03-01T09:00:00Z", "I live in Rome.")],
    );
    for (at, expected) in [
        ("2022-03-01", "resolved Rome"),
        ("2024-08-30", "resolved Rome"),
        ("2026-01-01", "resolved Leeds"),
    ] {
        assert_eq!(believed(&place, "lives_in", at), expected, "{at}");
    }
}

/// Two speakers who differ about a third are not settled by who spoke last.
#[test]
fn another_speakers_word_takes_no_place() {
    let place = Place::new();
    let said = |speaker: &str, time: &str, text: &str| {
        let turn = json!({"conversation": "c", "id": time, "speaker": speaker, "time": time, "text": text});
        format!("{turn}\n")
    };
    let lines = [
        said("Ada", "2023-05-08T10:00:00Z", "Tom lives in Porto."),
        said("Bob", "2023-06-08T10:00:00Z", "Tom lives in Leeds."),
    ];
    let file = place.file("c.jsonl", lines.concat().as_bytes());
    place.run(["import".as_ref(), file.as_os_str()]).ok();
    place.run(["extract", "--all"]).ok();
    let belief = place.json(["believe", "Tom", "lives_in"]);
    assert_eq!(belief["status"], "contested", "{belief:#}");
}

/// An end is an end of what was said to hold, and needs no value: it is written with the memory that it was read in.
#[test]
fn what_is_over_is_ended() {
    let place = Place::new();
    turns(&place, "moves", &MOVES);
    turns(
        &place,
        "over",
        &[("2025-01-10T09:00:00Z", "I quit my job.")],
    );
    assert_eq!(
        believed(&place, "works_at", "2025-01-09"),
        "resolved Acme Corp"
    );
    assert_eq!(believed(&place, "works_at", "2025-01-11"), "ended ");
    let ledger = place.json(["claim", "ledger"]);
    let ledger = ledger["entries"].as_array().unwrap();
    let bound = ledger.iter().find(|entry| entry["act"] == "bound").unwrap();
    assert_eq!(bound["anchors"].as_array().unwrap().len(), 1);
}

/// A plan that was put right: the order of the words decides, not that of the starts.
#[test]
fn a_plan_that_is_corrected_is_not_believed() {
    let place = Place::new();
    turns(
        &place,
        "plans",
        &[
            ("2025-03-12T09:00:00Z", "I live in Ghent."),
            ("2025-04-20T09:00:00Z", "On 29 April 2025 I moved to Rome."),
            (
                "2025-04-30T09:00:00Z",
                "I live in Porto since 28 April 2025.",
            ),
        ],
    );
    for (at, expected) in [
        ("2025-04-01", "resolved Ghent"),
        ("2025-04-28", "resolved Porto"),
        ("2025-06-01", "resolved Porto"),
    ] {
        assert_eq!(believed(&place, "lives_in", at), expected, "{at}");
    }
}

/// I5: what a text says of a name is planned against the lines of all its names, and written under the main one; what a model said
/// under another name ends where the new value begins.
#[test]
fn what_is_read_of_a_name_is_of_its_subject() {
    let place = Place::new();
    let read = |text: &str, date: &str| {
        let chat = format!("[{date} 10:15] Ada: {text}\n");
        let chat = place.file("turn.txt", chat.as_bytes());
        place.run(["import".as_ref(), chat.as_os_str()]).ok();
        place.json(["extract", "--all"])
    };
    read("I live in Rome.", "2020-04-01");
    place.run(["claim", "alias", "Ada", "Ada Lovelace"]).ok();
    let second = read("I moved to Porto in March 2021.", "2021-04-01");
    let listed = second["listed"].as_array().unwrap().iter();
    let mut porto = listed.filter(|it| it["value"] == "Porto");
    let porto = porto.next().unwrap();
    assert_eq!(
        (&porto["subject"], &porto["saidOf"]),
        (&"Ada Lovelace".into(), &"Ada".into())
    );
    let belief = place.json(["believe", "Ada", "lives_in"]);
    assert_eq!(
        (&belief["status"], &belief["value"]),
        (&"resolved".into(), &"Porto".into())
    );
    let before = place.json(["believe", "Ada Lovelace", "lives_in", "--at", "2020-06"]);
    assert_eq!(before["value"], "Rome");
    let size = place.size();
    place.run(["extract", "--all"]).ok();
    assert_eq!(place.size(), size, "a second reading adds nothing");
}
