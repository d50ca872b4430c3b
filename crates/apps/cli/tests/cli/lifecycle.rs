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

/// A proposal on what was recalled before is still approved after all of it was archived or
/// erased: proofs need no store, and the log has not changed its past.
#[test]
fn proofs_outlive_what_they_are_of() {
    let place = Place::with_memories();
    let anchors = place.folder().join("anchors.json");
    place.run(["anchors", "-o", anchors.to_str().unwrap()]).ok();
    let proposal = place.folder().join("proposal.json");
    place
        .run([
            "propose",
            "--summary",
            "Go",
            "--recall",
            "heron key",
            "-o",
            proposal.to_str().unwrap(),
        ])
        .ok();
    let id = id_of(&place, "boat shed");
    place
        .run(["erase", &id, "--reason", "asked to", "--yes"])
        .ok();
    place.run(["archive", "--before", "2100-01-01"]).ok();
    let verify = [
        "verify",
        proposal.to_str().unwrap(),
        "--anchors",
        anchors.to_str().unwrap(),
    ];
    assert!(place.run(verify).ok().stdout().contains("APPROVED"));
}

/// C20: whoever follows the certificate of an erasure, after everything was restored, has removed the
/// segment that still holds the content.
#[test]
fn to_follow_the_certificate_removes_the_last_copy() {
    for follow in [vec!["restore", "--all", "--discard"], vec![]] {
        let place = Place::new();
        let secret = "my passphrase is Quokkatorium Zanzibarine";
        let id = place.json(["remember", secret])["worldId"].clone();
        let id = id.as_str().unwrap();
        let archived = place.json(["archive", "--before", "2100-01-01"]);
        let segment = archived["segments"][0]["segment"].as_str().unwrap();
        let file = place.dir().join("archive").join(segment);
        place.run(["restore", "--all"]).ok();
        let certificate = place.json(["erase", id, "--reason", "asked to", "--yes"]);
        assert!(file.exists());
        let command = certificate["copies"]["segments"][0]["removedBy"].clone();
        let command = command.as_str().unwrap();
        let named: Vec<&str> = command.split(' ').skip(1).collect();
        assert_eq!(named, ["restore", segment, "--discard"]);
        let human = place.run(["erase", id, "--reason", "asked to"]);
        assert!(human.ok().stdout().contains(command), "{}", human.stdout());
        let follow = if follow.is_empty() { named } else { follow };
        place.run(follow.clone()).ok();
        assert!(!file.exists(), "{follow:?}");
        let left = fs::read_dir(place.dir().join("archive")).unwrap().count();
        assert_eq!(left, 0, "{follow:?}");
        place.run(["restore", "--all", "--discard"]).ok();
        is_clean(&place);
    }
}

/// A version that was rolled back to what is erased says the same, and the certificate says so.
#[test]
fn the_certificate_names_a_version_that_says_the_same() {
    let place = Place::new();
    let first = place.json(["remember", "the code is one"])["worldId"].clone();
    let first = first.as_str().unwrap();
    place
        .run(["update", first, "--set", "/text=the code is two"])
        .ok();
    place.run(["rollback", first, "--to", "0"]).ok();
    let certificate = place.json(["erase", first, "--reason", "asked to", "--yes"]);
    let versions = &certificate["copies"]["versions"];
    assert_eq!(
        (&versions[0]["saysTheSame"], &versions[1]["saysTheSame"]),
        (&false.into(), &true.into()),
        "{versions}"
    );
    let human = place.run(["erase", first, "--reason", "asked to"]);
    let said = human.ok().stdout();
    assert!(
        said.contains("says the same") && said.contains("--all-versions"),
        "{said}"
    );
}
