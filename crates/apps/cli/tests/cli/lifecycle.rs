//! Erasing, forgetting, archiving and collecting, through the real binary.

use std::fs;
use std::path::Path;

use crate::place::{Place, RECORD};

fn id_of(place: &Place, text: &str) -> String {
    let trace = place.json(["recall", text, "--max", "1"]);
    let id = trace["selected"][0]["ref"]["worldId"].as_str();
    id.unwrap().to_owned()
}

fn ids(place: &Place, text: &str) -> Vec<String> {
    let trace = place.json(["recall", text]);
    let selected = trace["selected"].as_array().unwrap().iter();
    selected
        .map(|memory| memory["ref"]["worldId"].as_str().unwrap().to_owned())
        .collect()
}

/// The names of files in which a text stands, segments unpacked.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding(&path, text));
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let needle = text.as_bytes();
        if bytes
            .windows(needle.len())
            .any(|window| window.eq_ignore_ascii_case(needle))
        {
            found.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    found
}

fn is_clean(place: &Place) {
    assert_eq!(place.json(["audit", "--deep"])["clean"], true);
    assert_eq!(place.json(["rebuild"])["identical"], true);
}

/// C20, adversarial case D58: the words are in no file, the certificate says what is gone and what
/// proves it, and `show`, `recall`, `audit` and `rebuild` know.
#[test]
fn what_is_erased_is_in_no_file_and_its_certificate_holds() {
    let place = Place::with_memories();
    let secret = "my passphrase is Quokkatorium Zanzibarine";
    let id = place.json(["remember", secret])["worldId"].clone();
    let id = id.as_str().unwrap();
    place.run(["remember", "something after it"]).ok();
    assert!(!holding(&place.dir(), "quokkatorium").is_empty());
    place.refuses(["erase", id, "--reason", "asked to"], 3, "--yes");

    let certificate = place.json(["erase", id, "--reason", "asked to", "--yes"]);
    for word in ["quokka", "zanzibar", "my passphrase"] {
        assert!(holding(&place.dir(), word).is_empty(), "{word}");
    }
    assert_eq!(certificate["type"], "counterfoil/erasure-certificate");
    assert_eq!(certificate["scrubbed"], true);
    let erased = &certificate["erased"][0];
    assert_eq!(
        (erased["worldId"].as_str(), &erased["erasedNow"]),
        (Some(id), &true.into())
    );
    assert!(erased["gone"]["payloadBytes"].as_u64().unwrap() > 100);
    assert_eq!(erased["redaction"]["document"]["reason"], "asked to");
    let entry = erased["stillProves"]["entry"].as_str().unwrap();
    assert!(
        entry.contains(erased["capsule"].as_str().unwrap()),
        "{entry}"
    );
    let proof = erased["stillProves"]["tlogProof"].as_str().unwrap();
    let checkpoint = place.run(["log", "checkpoint"]).stdout();
    assert!(proof.contains(checkpoint.trim_end()), "{proof}");

    let shown = place.run(["show", id]);
    assert!(shown.ok().stdout().contains("ERASED"), "{}", shown.stdout());
    assert!(ids(&place, "passphrase quokkatorium").is_empty());
    is_clean(&place);
    let again = place.json(["erase", id, "--reason", "asked again"]);
    assert_eq!(again["erased"][0]["erasedNow"], false);
    assert_eq!(again["erased"][0]["redaction"], erased["redaction"]);
    let human = place.run(["erase", id, "--reason", "asked again"]);
    assert!(
        human.ok().stdout().contains("already"),
        "{}",
        human.stdout()
    );
    place.refuses(
        ["erase", "world-nobody", "--reason", "x", "--yes"],
        3,
        "no memory",
    );
}

/// A record that is imported again brings nothing back and goes on past what was erased.
#[test]
fn an_import_does_not_bring_back_what_was_erased() {
    let place = Place::with_memories();
    let id = id_of(&place, "boat shed");
    place
        .run(["erase", &id, "--reason", "asked to", "--yes"])
        .ok();
    let more = [
        RECORD.to_vec(),
        vec![
            r#"{"conversation":"c","session":"3","id":"3:1","speaker":"Ada","time":"2025-06-01T10:15:00Z","text":"A new turn about pelicans."}"#,
        ],
    ];
    let path = place.file("record.jsonl", more.concat().join("\n").as_bytes());
    place.run(["import".as_ref(), path.as_os_str()]).ok();
    assert_eq!(ids(&place, "pelicans").len(), 1);
    assert!(!ids(&place, "boat shed").contains(&id));
    assert!(holding(&place.dir(), "boat shed").is_empty());
    is_clean(&place);
}
