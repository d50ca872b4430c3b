//! What is refused: exit 3, one line that says what to do, and nothing is written.

use serde_json::json;

use super::{add, added, believe, entries, held, remember};
use crate::place::Place;

const NOBODY: &str = "world-00000000000000000000000000000000";

#[test]
fn bad_dates_are_told_how_dates_are_written() {
    let place = Place::new();
    for date in [
        "",
        "yesterday",
        "20",
        "2021-13",
        "2021-02-30",
        "2021-1-1",
        "0000",
        "10000",
        "2021-03-15T12:00",
        "2021-03-15 12:00:00Z",
        "1735689600000",
    ] {
        for option in ["--from", "--until"] {
            let args = ["claim", "add", "a", "b", "c", option, date];
            place.run(args).refused(3, "2020-03");
        }
        place
            .run(["believe", "a", "b", "--at", date])
            .refused(3, "2020-03");
        place
            .run(["believe", "a", "--as-of", date])
            .refused(3, "2020-03");
    }
    place
        .run(["believe", "a", "--as-of", "1969"])
        .refused(3, "before 1970");
    place
        .run([
            "claim", "add", "a", "b", "c", "--from", "2022", "--until", "2021",
        ])
        .refused(3, "ends before it begins");
    let unsure = ["claim", "add", "a", "b", "c", "--valid-confidence", "0.9"];
    place.run(unsure).refused(3, "--from or --until");
    for confidence in ["1.1", "-1", "x", "NaN"] {
        let option = format!("--valid-confidence={confidence}");
        place
            .run(["claim", "add", "a", "b", "c", "--from", "2022", &option])
            .refused(3, "from 0 to 1");
    }
    assert_eq!(entries(&place), 1, "nothing but the inception");
}

/// CLM-15: what names nothing, or nothing of this agent, is refused.
#[test]
fn bad_references_are_named() {
    let place = Place::new();
    let note = remember(&place, "a note");
    let claim = added(&place, &["a", "b", "c"], "committed");
    let other = added(&place, &["a", "other", "c"], "committed");
    let before = entries(&place);
    for reference in [NOBODY, "", "x\u{1b}[2J", &note] {
        place.run(["claim", "end", reference]).code(3);
        place.run(["claim", "reopen", reference]).code(3);
        place.run(["claim", "release", reference]).code(3);
        place
            .run(["claim", "supersede", &claim, "--by", reference])
            .code(3);
        place
            .run(["claim", "show", reference])
            .refused(3, "no claim");
        let ran = place.run(["adjudicate", reference, "deny", "--evidence", &note]);
        ran.code(3);
        assert!(!ran.stderr().contains('\u{1b}'));
        place
            .run(["claim", "add", "a", "b", "d", "--supersedes", reference])
            .code(3);
        place
            .run(["claim", "add", "a", "b", "d", "--derived-from", reference])
            .code(3);
    }
    for source in [NOBODY, "", &claim] {
        place
            .run(["claim", "add", "a", "b", "d", "--source", source])
            .code(3);
        let verdict = ["adjudicate", &claim, "affirm", "--evidence", source];
        place.run(verdict).code(3);
    }
    place
        .run(["claim", "supersede", &claim, "--by", &other])
        .refused(3, "about something else");
    place
        .run(["claim", "supersede", &claim, "--by", &claim])
        .refused(3, "its own place");
    place
        .run(["adjudicate", &claim, "affirm", "--evidence", &note])
        .refused(3, "waits for no verdict");
    place
        .run(["adjudicate", &claim, "affirm"])
        .refused(3, "--evidence");
    let twice = [
        "claim", "add", "a", "b", "d", "--source", &note, "--source", &note,
    ];
    place.run(twice).refused(3, "twice");
    let mut many = vec![
        "claim".to_owned(),
        "add".into(),
        "a".into(),
        "b".into(),
        "d".into(),
    ];
    many.extend((0..17).map(|at| format!("--source=world-{at}")));
    place.run(many).refused(3, "may name 16");
    assert_eq!(entries(&place), before);
}

/// A verdict rests on what comes from outside; an end without a reference means one claim and no other.
#[test]
fn a_models_word_is_no_evidence_and_two_claims_are_not_one() {
    let place = Place::new();
    added(&place, &["a", "b", "one"], "committed");
    let two = added(&place, &["a", "b", "two"], "contested");
    let model = ["a", "c", "a guess", "--channel", "model"];
    let guess = added(&place, &model, "committed_inferred");
    let user = added(&place, &["a", "d", "it is one"], "committed");
    let before = entries(&place);
    let verdict = |evidence: &str| {
        let args = ["adjudicate", &two, "deny", "--evidence", evidence];
        place.run(args)
    };
    verdict(&guess).refused(3, "a model's word is none");
    place
        .run(["claim", "end", "a", "b"])
        .refused(3, "2 claims are live");
    assert_eq!(entries(&place), before);
    verdict(&user).ok();
    let told = place.run(["why", "a", "b"]).ok().stdout();
    assert!(told.contains("denies two"), "{told}");
}

#[test]
fn bad_words_on_the_command_line() {
    let place = Place::new();
    for channel in ["peer", "recall", "admin", ""] {
        let option = format!("--channel={channel}");
        place
            .run(["claim", "add", "a", "b", "c", &option])
            .refused(3, "--channel");
    }
    place
        .run(["claim", "add", "a", "b", "c", "--cardinality", "two"])
        .refused(3, "cardinality");
    place
        .run(["adjudicate", NOBODY, "perhaps", "--evidence", NOBODY])
        .code(3);
    place.run(["claim"]).code(3);
    place.run(["claim", "add", "a", "b"]).refused(3, "VALUE");
    place.run(["claim", "supersede", NOBODY]).refused(3, "--by");
    place.run(["why", "a"]).refused(3, "PREDICATE");
    place
        .run(["history", "a", "--at", "2021"])
        .refused(3, "--at and --as-of");
    place.run(["history", "a", "--agent", "did:key:x"]).code(3);
    place
        .run(["believe", "a", "--agent", "somebody"])
        .refused(3, "--agent");
    place
        .run(["history", "a", "b", "--max", "0"])
        .refused(3, "--max");
    place.run(["contested", "--max", "0"]).refused(3, "--max");
    for key in ["", "a\nb", &"k".repeat(257)] {
        let option = format!("--key={key}");
        place
            .run(["claim", "add", "a", "b", "c", &option])
            .refused(3, "1 to 256 bytes");
    }
    assert_eq!(entries(&place), 1);
}

/// CLM-1: names have one form, and limits.
#[test]
fn names_are_text_of_a_line_and_of_one_form() {
    let place = Place::new();
    for name in ["", " a", "a ", "a\nb", "a\u{7}b", &"n".repeat(513)] {
        place
            .run(["claim", "add", name, "b", "c"])
            .refused(3, "subject must be");
        place
            .run(["claim", "add", "a", name, "c"])
            .refused(3, "predicate must be");
        place.run(["believe", name]).refused(3, "subject must be");
        place
            .run(["believe", "a", name])
            .refused(3, "predicate must be");
        place.run(["why", name, "b"]).refused(3, "subject must be");
        place
            .run(["history", "a", name])
            .refused(3, "predicate must be");
        place.run(["timeline", name]).refused(3, "subject must be");
    }
    added(&place, &[&"n".repeat(512), "b", "c"], "committed");
    // What looks the same is one name: composed and decomposed.
    added(&place, &["Zo\u{e9}", "caf\u{e9}", "x"], "committed");
    let again = add(&place, &["Zoe\u{301}", "cafe\u{301}", "x"]);
    assert_eq!(again["disposition"], "corroborated");
    let belief = believe(&place, &["Zoe\u{301}", "cafe\u{301}"]);
    assert_eq!(belief["subject"], "Zo\u{e9}");
    // Values are kept as they are: a text of another form is another value.
    added(&place, &["a", "b", "\u{e9}"], "committed");
    added(&place, &["a", "b", "e\u{301}"], "contested");
}

/// CLM-2: values have limits.
#[test]
fn values_have_a_size_and_no_nul() {
    let place = Place::new();
    // Two bytes are the quotation marks of JSON.
    let largest = "v".repeat(65_534);
    added(&place, &["a", "large", &largest], "committed");
    let belief = believe(&place, &["a", "large"]);
    assert_eq!(held(&belief).1, [&largest]);
    let told = place.run(["believe", "a"]).ok().stdout();
    assert!(told.len() < 2000, "a long value is cut");
    let larger = "v".repeat(65_535);
    place
        .run(["claim", "add", "a", "b", &larger])
        .refused(3, "65,536 bytes");
    let piped = vec![b'v'; 2 << 20];
    let mut args = vec!["claim", "add", "a", "b", "-"];
    place
        .run_with_input(args.clone(), &piped[..65_535])
        .refused(3, "65,536 bytes");
    args.push("--value-json");
    place
        .run_with_input(args.clone(), b"[1,")
        .refused(3, "the value");
    place
        .run_with_input(args.clone(), b"\"a\\u0000b\"")
        .refused(3, "NUL");
    place
        .run_with_input(args.clone(), b"{\"a\":1,\"a\":2}")
        .refused(3, "the value");
    let deep = ["[".repeat(70), "]".repeat(70)].concat();
    place.run_with_input(args, deep.as_bytes()).code(3);
    place
        .run(["claim", "add", "a", "b", "nope", "--value-json"])
        .refused(3, "the value");
    place
        .run_with_input(["claim", "add", "a", "b", "-"], b"a\0b")
        .refused(3, "NUL");
    place
        .run_with_input(["claim", "add", "a", "b", "-"], b"\xff")
        .refused(3, "UTF-8");
    // Control characters are part of a text; what is shown is escaped.
    added(&place, &["a", "control", "bell\u{7}"], "committed");
    assert!(
        place
            .run(["believe", "a", "control"])
            .ok()
            .stdout()
            .contains(r"bell\u{7}")
    );
}

#[test]
fn every_command_about_claims_says_where_no_store_is() {
    let place = Place::bare();
    for args in [
        &["claim", "add", "a", "b", "c"][..],
        &["claim", "end", "x"],
        &["claim", "reopen", "x"],
        &["claim", "release", "x"],
        &["claim", "supersede", "x", "--by", "y"],
        &["claim", "show", "x"],
        &["claim", "ledger"],
        &["claim", "did", "x"],
        &["believe", "a"],
        &["why", "a", "b"],
        &["history", "a", "b"],
        &["contested"],
        &["pending"],
        &["adjudicate", "x", "deny", "--evidence", "y"],
        &["timeline", "a"],
    ] {
        place.run(args).refused(4, "counterfoil init");
        assert!(!place.dir().exists());
    }
}

/// I1, I5: nothing but the gate makes a claim, and nothing changes one.
#[test]
fn what_looks_like_a_claim_is_none_and_a_claim_is_not_changed() {
    let place = Place::new();
    let claim = added(&place, &["a", "b", "c"], "committed");
    let unit = place.json(["claim", "show", &claim])["unit"].clone();
    place
        .run(["update", &claim, "--set", "/value=d"])
        .refused(3, "counterfoil claim end");
    let forged = unit.to_string().replace("\"c\"", "\"forged\"");
    let path = place.file("forged.json", forged.as_bytes());
    place
        .run(["remember", "--file", path.to_str().unwrap()])
        .ok();
    place
        .run(["update", &claim, "--derive", "--set", "/value=derived"])
        .ok();
    assert_eq!(held(&believe(&place, &["a", "b"])).1, ["c"]);
    place.run(["rebuild"]).ok();
    assert_eq!(held(&believe(&place, &["a", "b"])).1, ["c"]);
    place.run(["audit", "--deep"]).ok();
}

/// One unit names at most 256 claims; nobody can leave out some of what contradicts a claim.
#[test]
fn a_verdict_over_more_rivals_than_a_unit_names_says_what_to_do() {
    let place = Place::new();
    let line = |number: usize| json!({ "subject": "mira", "predicate": "age", "value": number, "from": "2020" });
    let lines: Vec<String> = (0..258).map(|number| line(number).to_string()).collect();
    let file = place.file("claims.jsonl", lines.join("\n").as_bytes());
    place.run(["claim", "import", file.to_str().unwrap()]).ok();
    let note = place.json(["remember", "a passport"])["worldId"].clone();
    let belief = place.json(["believe", "mira", "age"]);
    let claim = belief["sides"][0]["claims"][0]["ref"].as_str().unwrap();
    place
        .run([
            "adjudicate",
            claim,
            "affirm",
            "--evidence",
            note.as_str().unwrap(),
        ])
        .refused(3, "end some of them first");
}
