//! Every command about claims and each of its options.

use serde_json::{Value, json};

use super::{add, added, believe, entries, held, reference, remember};
use crate::place::Place;

/// CLM-9: a unit is a memory like all others: shown, proven, audited.
#[test]
fn a_claim_is_a_memory_with_a_receipt() {
    let place = Place::new();
    let claim = added(&place, &["mira", "drinks", "tea"], "committed");
    let shown = place.json(["show", &claim]);
    assert_eq!(shown["world"]["data"]["kind"], "claim");
    assert!(shown["receipt"]["tlogProof"].is_string());
    place.run(["audit", "--deep"]).ok();
    place.run(["validate"]).ok();
    let told = place.run(["claim", "show", &claim]).ok().stdout();
    for part in [
        "tea",
        "mira",
        "drinks",
        "the user",
        "nothing contradicts it (row 5)",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let unit = place.json(["claim", "show", &claim]);
    assert_eq!(unit["unit"]["format"], "counterfoil/claim/v1");
    assert_eq!(unit["unit"], shown["world"]["data"]);
}

/// CLM-24: what is told of a claim that is contested: its rivals by value, and what to do.
#[test]
fn a_contradiction_is_told_with_what_it_contradicts_and_is_no_failure() {
    let place = Place::new();
    added(&place, &["mira", "drinks", "tea"], "committed");
    let ran = place.run(["claim", "add", "mira", "drinks", "coffee"]);
    let told = ran.ok().stdout();
    for part in [
        "contested",
        "contradicts 1 other claim (row 7)",
        "tea",
        "adjudicate",
        "believe mira drinks",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let told = place.run(["believe", "mira", "drinks"]).ok().stdout();
    assert!(
        told.contains("mira drinks: tea or coffee") && told.contains("CONTESTED"),
        "{told}"
    );
    let told = place.run(["contested"]).ok().stdout();
    assert!(told.contains("tea or coffee"), "{told}");
}

#[test]
fn a_value_is_a_text_or_json_or_standard_input() {
    let place = Place::new();
    let value = |predicate: &str| believe(&place, &["mira", predicate])["value"].clone();
    added(&place, &["mira", "a", "5"], "committed");
    added(&place, &["mira", "b", "5", "--value-json"], "committed");
    added(
        &place,
        &["mira", "c", r#"{"b":[1,null],"a":true}"#, "--value-json"],
        "committed",
    );
    added(&place, &["mira", "d", "-12 degrees"], "committed");
    assert_eq!(value("a"), json!("5"));
    assert_eq!(value("b"), json!(5));
    assert_eq!(value("c"), json!({"a": true, "b": [1, null]}));
    assert_eq!(value("d"), json!("-12 degrees"));
    let args = ["claim", "add", "mira", "e", "-"];
    place.run_with_input(args, "from a pipe\n".as_bytes()).ok();
    assert_eq!(value("e"), json!("from a pipe"));
    let told = place.run(["believe", "mira"]).ok().stdout();
    assert!(told.contains(" \"5\" ") && told.contains(" 5 "), "{told}");
}

/// I2, CLM-4, CLM-38: dates as people write them, and how far they are trusted.
#[test]
fn dates_have_granules_and_a_confidence() {
    let place = Place::new();
    let dated = |predicate: &str, more: &[&str]| {
        let args = [&["mira", predicate, "x"], more].concat();
        added(&place, &args, "committed");
    };
    dated("year", &["--from", "2020", "--until", "2020"]);
    dated("month", &["--from", "2020-03"]);
    dated("day", &["--until", "2020-03-15"]);
    dated("instant", &["--from", "2020-03-15T12:00:00+02:00"]);
    dated("vague", &["--from", "2020", "--valid-confidence", "0.7"]);
    let status = |predicate: &str, at: &str| {
        let belief = believe(&place, &["mira", predicate, "--at", at]);
        belief["status"].as_str().unwrap().to_owned()
    };
    assert_eq!(status("year", "2020-12-31T23:59:59Z"), "timing_uncertain");
    assert_eq!(status("year", "2021"), "ended");
    assert_eq!(status("month", "2020-03-20"), "timing_uncertain");
    assert_eq!(status("month", "2020-04"), "resolved");
    assert_eq!(status("day", "2020-03-15T23:59:59Z"), "resolved");
    assert_eq!(status("day", "2020-03-16"), "ended");
    assert_eq!(status("instant", "2020-03-15T09:59:59Z"), "no_belief");
    assert_eq!(status("instant", "2020-03-15T10:00:00Z"), "resolved");
    assert_eq!(status("vague", "2020-06"), "no_belief");
    let vague = believe(&place, &["mira", "vague"]);
    assert_eq!(vague["status"], "timing_uncertain");
    assert_eq!(
        vague["sides"][0]["claims"][0]["valid"],
        json!({"from": "2020", "confidence": 0.7})
    );
}

/// CLM-35: the members of a set are believed together, and none of them alone.
#[test]
fn a_set_holds_several_values() {
    let place = Place::new();
    added(
        &place,
        &["mira", "speaks", "Portuguese", "--cardinality", "many"],
        "committed",
    );
    added(&place, &["mira", "speaks", "English"], "committed");
    let belief = believe(&place, &["mira", "speaks"]);
    assert_eq!(
        held(&belief),
        ("resolved", vec![&json!("Portuguese"), &json!("English")])
    );
    let told = place.run(["believe", "mira", "speaks"]).ok().stdout();
    assert!(told.contains("Portuguese, English"), "{told}");
    added(
        &place,
        &["mira", "born_in", "Lagos", "--cardinality", "one"],
        "committed",
    );
    added(&place, &["mira", "born_in", "Faro"], "contested");
}

/// CLM-32: each assertion, and that doing it again changes nothing.
#[test]
fn claims_are_ended_opened_again_and_superseded() {
    let place = Place::new();
    let become_ = |args: &[&str]| place.json(args)["disposition"].as_str().unwrap().to_owned();
    let tea = added(
        &place,
        &["mira", "drinks", "tea", "--from", "2020"],
        "committed",
    );
    assert_eq!(
        become_(&["claim", "end", &tea, "--at", "2021-05"]),
        "bounded"
    );
    assert_eq!(
        become_(&["claim", "end", &tea, "--at", "2021-05"]),
        "no_change"
    );
    assert_eq!(believe(&place, &["mira", "drinks"])["status"], "ended");
    assert_eq!(become_(&["claim", "reopen", &tea]), "reinstated");
    assert_eq!(become_(&["claim", "reopen", &tea]), "no_change");
    assert_eq!(become_(&["claim", "release", &tea]), "no_change");
    let coffee = added(
        &place,
        &["mira", "drinks", "coffee", "--from", "2023"],
        "contested",
    );
    assert_eq!(
        become_(&["claim", "supersede", &tea, "--by", &coffee]),
        "superseded"
    );
    assert_eq!(
        held(&believe(&place, &["mira", "drinks"])),
        ("resolved", vec![&json!("coffee")])
    );
    assert_eq!(
        become_(&["claim", "end", "mira", "drinks", "--at", "2024"]),
        "bounded"
    );
    assert_eq!(believe(&place, &["mira", "drinks"])["status"], "ended");
    let before = entries(&place);
    place
        .run(["claim", "end", "mira", "drinks"])
        .refused(3, "no claim is live");
    place
        .run(["claim", "end", "mira", "eats"])
        .refused(3, "no claim is live");
    assert_eq!(entries(&place), before);
}

/// I9, CLM-49: after a doubt, the key says whether it was committed; the same request under it writes nothing.
#[test]
fn a_request_is_repeated_under_its_key() {
    let place = Place::new();
    assert_eq!(place.json(["claim", "did", "job-1"])["committed"], false);
    place.run(["claim", "did", "job-1"]).ok();
    let args = ["mira", "drinks", "tea", "--key", "job-1"];
    let first = add(&place, &args);
    let before = entries(&place);
    assert_eq!(add(&place, &args), first);
    assert_eq!(entries(&place), before);
    let did = place.json(["claim", "did", "job-1"]);
    assert_eq!((&did["committed"], &did["answer"]), (&json!(true), &first));
    place
        .run(["claim", "add", "mira", "drinks", "coffee", "--key", "job-1"])
        .refused(3, "used for another request");
    let claim = reference(&first);
    let end = ["claim", "end", &claim, "--at", "2100", "--key", "job-2"];
    let ended = place.json(end);
    assert_eq!(place.json(end), ended);
    assert_eq!(entries(&place), before + 1);
}

#[test]
fn the_ledger_lists_what_was_decided_and_handed_out() {
    let place = Place::new();
    let tea = added(&place, &["mira", "drinks", "tea"], "committed");
    added(&place, &["mira", "eats", "bread"], "committed");
    place.json(["claim", "end", &tea, "--at", "2100"]);
    let all = place.json(["claim", "ledger"]);
    let acts = |ledger: &Value| -> Vec<String> {
        let entries = ledger["entries"].as_array().unwrap().iter();
        let named = entries.map(|entry| entry.get("act").unwrap_or(&entry["entry"]));
        named.map(|it| it.as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(acts(&all), ["claim", "claim", "bound"]);
    let of_tea = place.json(["claim", "ledger", "--claim", &tea]);
    assert_eq!(acts(&of_tea), ["claim", "bound"]);
    let last = place.json(["claim", "ledger", "--max", "1"]);
    assert_eq!(acts(&last), ["bound"]);
    let end = &last["entries"][0];
    assert_eq!(
        (&end["provenance"], &end["at"]),
        (&json!({"class": "user_asserted"}), &json!("2100")),
        "an entry has the members of a unit"
    );
    let before = last["before"].as_u64().unwrap().to_string();
    let earlier = place.json(["claim", "ledger", "--max", "1", "--before", &before]);
    assert_eq!(earlier["entries"][0]["value"], "bread");
    believe(&place, &["mira", "drinks"]);
    let of_tea = place.json(["claim", "ledger", "--claim", &tea]);
    assert!(acts(&of_tea).contains(&"served".to_owned()), "{of_tea:#}");
    // Who was handed what is told beside the units of a page, and takes no place of theirs.
    let page = place.json(["claim", "ledger", "--max", "2", "--claim", &tea]);
    assert_eq!(page["before"], of_tea["entries"][0]["index"]);
    let told = place.run(["claim", "ledger"]).ok().stdout();
    assert!(
        told.contains("handed out 1 time: tea") && told.contains("bread"),
        "{told}"
    );
    place
        .run(["claim", "ledger", "--max", "0"])
        .refused(3, "1 to 1000");
    place
        .run(["claim", "ledger", "--max", "1001"])
        .refused(3, "1 to 1000");
}

/// I6, CLM-11: an independent source is counted, and said again by the same one it is not.
#[test]
fn what_is_said_again_is_one_claim() {
    let place = Place::new();
    let tea = added(&place, &["mira", "drinks", "tea"], "committed");
    for _ in 0..3 {
        assert_eq!(reference(&add(&place, &["mira", "drinks", "tea"])), tea);
    }
    let note = remember(&place, "Ada: Mira drinks nothing but tea");
    let answer = add(&place, &["mira", "drinks", "tea", "--source", &note]);
    assert_eq!(answer["disposition"], "corroborated");
    let belief = believe(&place, &["mira", "drinks"]);
    assert_eq!(belief["sides"][0]["corroborations"], 1);
    assert_eq!(belief["sides"][0]["claims"].as_array().unwrap().len(), 1);
    let told = place
        .run(["claim", "add", "mira", "drinks", "tea"])
        .ok()
        .stdout();
    assert!(
        told.contains("corroborated") && told.contains("nothing"),
        "{told}"
    );
}

/// CLM-20, CLM-27: verdicts by every name, from the queue of an oracle.
#[test]
fn what_waits_for_a_verdict_gets_one() {
    let place = Place::new();
    let settings = "[oracle]\npresent = true\nexpires-days = 2\n";
    std::fs::write(place.dir().join("claims.toml"), settings).unwrap();
    let told = place.run(["pending"]).ok().stdout();
    assert!(told.contains("Nothing waits"), "{told}");
    let note = remember(&place, "a note that settles it");
    for (predicate, verdict, disposition, status) in [
        ("a", "affirm", "affirmed", "timing_uncertain"),
        ("b", "deny", "denied", "timing_uncertain"),
        ("c", "unknown", "contested", "contested"),
    ] {
        added(&place, &["mira", predicate, "one"], "committed");
        let handle = added(
            &place,
            &["mira", predicate, "two"],
            "queued_for_adjudication",
        );
        let pending = place.json(["pending"]);
        assert_eq!(pending["pending"][0]["handle"], handle.as_str());
        assert_eq!(pending["pending"][0]["rivals"][0]["value"], "one");
        let told = place.run(["pending"]).ok().stdout();
        assert!(told.contains(&handle) && told.contains("two"), "{told}");
        let done = place.json(["adjudicate", &handle, verdict, "--evidence", &note]);
        assert_eq!(done["disposition"], disposition, "{done:#}");
        assert_eq!(believe(&place, &["mira", predicate])["status"], status);
        assert_eq!(place.json(["pending"])["pending"], json!([]));
    }
    // A denial is remembered: without new evidence it is not said again.
    let again = add(&place, &["mira", "b", "two"]);
    assert_eq!(
        (&again["disposition"], &again["row"]),
        (&json!("denied_already"), &json!(3))
    );
    let told = place
        .run(["claim", "add", "mira", "b", "two"])
        .ok()
        .stdout();
    assert!(
        told.contains("denied already") && told.contains("--source"),
        "{told}"
    );
}

/// Questions about other times take the same options everywhere.
#[test]
fn every_question_is_about_a_time_as_known_at_a_time() {
    let place = Place::new();
    for predicate in ["a", "b"] {
        let one = ["mira", predicate, "one", "--from", "2020"];
        added(&place, &one, "committed");
        let two = ["mira", predicate, "two", "--from", "2022"];
        added(&place, &two, "contested");
    }
    let count = |args: &[&str]| {
        let all = [&["contested"], args].concat();
        let answer = place.json(all);
        (
            answer["beliefs"].as_array().unwrap().len(),
            answer["more"].as_bool().unwrap(),
        )
    };
    assert_eq!(count(&[]), (2, false));
    assert_eq!(count(&["--max", "1"]), (1, true));
    assert_eq!(count(&["--at", "2021-06"]), (0, false));
    assert_eq!(count(&["--as-of", "2020"]), (0, false));
    let told = place.run(["contested", "--at", "2021-06"]).ok().stdout();
    assert!(told.contains("Nothing is contested"), "{told}");
    let why = place.json(["why", "mira", "a", "--at", "2021-06"]);
    assert_eq!(why["belief"]["value"], "one");
    let early = place.json(["why", "mira", "a", "--as-of", "2020"]);
    assert_eq!(
        (&early["belief"]["status"], &early["changes"]),
        (&json!("no_belief"), &json!([]))
    );
    let history = place.json(["history", "mira", "a", "--as-of", "2020"]);
    assert_eq!(history["count"], 0);
    let told = place
        .run(["history", "mira", "a", "--as-of", "2020"])
        .ok()
        .stdout();
    assert!(told.contains("Nothing was said of mira a"), "{told}");
    let told = place.run(["believe", "nobody"]).ok().stdout();
    assert!(told.contains("Nothing is known of it"), "{told}");
}
