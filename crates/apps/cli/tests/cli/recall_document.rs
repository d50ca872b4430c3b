//! The recall document, receipts by handle, short ids, and errors as documents.

use std::fs;

use serde_json::Value;

use crate::place::{Place, SAMPLE};

fn schema() -> jsonschema::Validator {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../docs/schemas/recall.schema.json"
    );
    let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

fn items(document: &Value) -> &[Value] {
    document["items"].as_array().unwrap()
}

fn length(value: &Value) -> usize {
    match value {
        Value::Null => 0,
        value => serde_json::to_vec(value).unwrap().len(),
    }
}

/// Each question of the bundled record, in each detail: the published schema holds, and the size law.
#[test]
fn each_document_fits_its_schema_and_the_size_law() {
    let place = Place::new();
    place.run(["import", SAMPLE]).ok();
    holds_for(&place, &questions(&SAMPLE.replace("record", "questions")));
}

/// The same for a LoCoMo conversation, where the data is given.
#[test]
fn a_long_conversation_keeps_the_size_law() {
    let Some(folder) = std::env::var_os("COUNTERFOIL_DATA") else {
        return;
    };
    let data = std::path::Path::new(&folder).join("locomo/locomo-dev.json");
    let place = Place::new();
    place.run(["import".as_ref(), data.as_os_str()]).ok();
    let asked = [
        "What did Caroline research?",
        "when did Melanie paint a sunrise?",
        "camping with the kids",
    ];
    holds_for(&place, &asked.map(str::to_owned));
}

fn questions(path: &str) -> Vec<String> {
    let lines = fs::read_to_string(path).unwrap();
    let question = |line| {
        serde_json::from_str::<Value>(line).unwrap()["question"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    lines.lines().map(question).collect()
}

fn holds_for(place: &Place, questions: &[String]) {
    let schema = schema();
    for question in questions {
        let ran = place.run(["recall", question, "--json", "--max", "30"]);
        ran.ok();
        let (printed, document) = (ran.stdout(), ran.json());
        assert!(!items(&document).is_empty(), "{question}");
        let texts = items(&document)
            .iter()
            .map(|item| length(&item["text"]) + length(&item["who"]) + length(&item["scope"]));
        let texts: usize = texts.sum();
        let head = printed.lines().filter(|line| !line.starts_with("    {"));
        let head: usize = head.map(|line| line.len() + 1).sum();
        let bound = texts * 13 / 10 + 200 * items(&document).len() + head;
        assert!(
            printed.len() <= bound,
            "{} above {bound}: {question}",
            printed.len()
        );
        assert_eq!(document["type"], "counterfoil/recall");
        for more in [
            &["--detail", "index"][..],
            &["--detail", "text", "--proofs"],
            &["--detail", "full"],
        ] {
            let other = place.json([&["recall", question, "--max", "5"], more].concat());
            assert!(schema.is_valid(&other), "{other}");
        }
        assert!(schema.is_valid(&document), "{document}");
    }
}

/// M-9: a memory that was changed in the database is in no document, whatever is asked for. It is named as withheld.
#[test]
fn a_memory_that_was_changed_is_withheld_and_never_an_item() {
    let place = Place::with_memories();
    let whole = place.json(["recall", "key boat"]);
    let victim = items(&whole)
        .iter()
        .find(|it| it["text"].as_str().unwrap().contains("heron"));
    let victim = victim.unwrap()["id"].as_str().unwrap().to_owned();
    crate::tamper::forge(
        &place,
        "UPDATE body SET payload = replace(payload, 'heron', 'FORGED')",
    );
    let schema = schema();
    for more in [
        &[][..],
        &["--unsafe"],
        &["--unsafe", "--detail", "full"],
        &["--unsafe", "--detail", "index"],
    ] {
        let ran = place.run([&["--json", "recall", "key boat"][..], more].concat());
        let (printed, document) = (ran.stdout(), ran.json());
        ran.code(2);
        assert!(schema.is_valid(&document), "{document}");
        assert!(!printed.contains("FORGED"), "{more:?}: {printed}");
        assert!(
            items(&document)
                .iter()
                .all(|it| it["id"] != victim.as_str()),
            "{more:?}"
        );
        let withheld = document["withheld"].as_array().unwrap();
        let named = withheld
            .iter()
            .find(|it| it["id"] == victim.as_str())
            .unwrap();
        assert_eq!(
            (&named["code"], &named["next"]),
            (&"E_STATE".into(), &"counterfoil check".into())
        );
    }
}

/// A handle and an id lead to the same proof; the handle of another log leads nowhere.
#[test]
fn a_receipt_is_found_by_its_handle() {
    let (place, other) = (Place::with_memories(), Place::with_memories());
    let recalled = place.json(["recall", "boat shed", "--proofs"]);
    let item = &items(&recalled)[0];
    let (id, handle) = (
        item["id"].as_str().unwrap(),
        item["receipt"].as_str().unwrap(),
    );
    let printed = place.json(["receipt", handle]);
    assert_eq!(printed["type"], "counterfoil/receipt");
    assert_eq!(
        (&printed["id"], &printed["verified"]),
        (&id.into(), &true.into())
    );
    assert_eq!(
        printed["evidence"]["proof"],
        recalled["proofs"][handle]["proof"]
    );
    assert_eq!(place.json(["receipt", id])["receipt"], handle);
    other
        .run(["receipt", handle])
        .refused(3, "is not a receipt of this log");
    place
        .run(["receipt", "rcpt_0_00000000"])
        .refused(3, "is not a receipt of this log");
    place
        .run(["receipt", "rcpt_9"])
        .refused(3, "is no handle of a receipt");
}

/// Ids of two memories that begin alike are named, and neither is taken.
#[test]
fn the_beginning_of_one_id_names_it_and_that_of_several_is_refused() {
    let place = Place::new();
    let mut ids = Vec::new();
    for number in 0..40 {
        let text = format!("number {number}");
        let done = place.json(["remember", text.as_str()]);
        ids.push(done["id"].as_str().unwrap().to_owned());
    }
    let id = &ids[0];
    assert!(id.starts_with("mem_") && id.len() == 36, "{id}");
    let short = id.get(..11).unwrap();
    let printed = place
        .run(["recall", "number 0", "--max", "40"])
        .ok()
        .stdout();
    assert!(
        printed.contains(short) && !printed.contains(id),
        "{printed}"
    );
    let shown = place.json(["show", short]);
    assert_eq!(shown["world"]["worldId"], id.as_str());
    place.run(["update", short, "--set", "/text=other"]).ok();
    place.run(["forget", short, "--reason", "no use"]).ok();
    // Less than four digits begin no id, so that a word is not taken for one.
    place.run(["show", "mem_"]).refused(3, "no memory");
    let turns: Vec<_> = (0..12).map(|at| format!("{{\"conversation\":\"c\",\"session\":\"s\",\"id\":\"{at}\",\"speaker\":\"Ada\",\"time\":\"2025-06-01T10:15:00Z\",\"text\":\"turn {at}\"}}")).collect();
    let path = place.file("turns.jsonl", turns.join("\n").as_bytes());
    place.run(["import".as_ref(), path.as_os_str()]).ok();
    let ran = place.run(["show", "worl"]);
    let said = ran.stderr();
    ran.refused(3, "begins the ids of several memories");
    assert_eq!(said.matches("world-").count(), 10, "{said}");
    assert!(said.contains(" and more"), "{said}");
}

/// RFC 9457: an error with `--json` is one document on one line, and the exit code is the same.
#[test]
fn an_error_is_a_document_where_documents_are_asked_for() {
    let place = Place::with_memories();
    for (args, code) in [
        (&["show", "mem_0000000"][..], 3),
        (&["recall", ""], 3),
        (&["recal", "x"], 3),
        (&["recall"], 3),
    ] {
        let plain = place.run(args);
        plain.code(code);
        let ran = place.run([&["--json"], args].concat());
        ran.code(code);
        let said = ran.stderr();
        assert_eq!(said.lines().count(), 1, "{said}");
        let error: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(error["type"], "counterfoil/error", "{error}");
        for member in ["version", "title", "detail", "code", "next"] {
            assert!(error[member].is_string(), "{member}: {error}");
        }
        assert_eq!(ran.stdout(), "");
    }
}

/// Each document has a type and a version; a list is its member `items`.
#[test]
fn each_document_has_a_type_and_a_version() {
    let place = Place::with_memories();
    for (args, kind) in [
        (&["stats"][..], "counterfoil/stats"),
        (&["remember", "x"], "counterfoil/remember"),
        (&["forget", "--list"], "counterfoil/forget"),
        (&["key", "show"], "counterfoil/key-show"),
        (&["as-of", "2099-01-01"], "counterfoil/as-of"),
        (&["recall", "boat"], "counterfoil/recall"),
    ] {
        let document = place.json(args);
        assert_eq!(document["type"], kind, "{document}");
        assert!(document["version"].is_string(), "{document}");
    }
}
