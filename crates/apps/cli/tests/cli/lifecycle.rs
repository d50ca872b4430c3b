//! Erasing, forgetting, archiving and collecting, through the real binary.

use std::fs;
use std::path::Path;

use serde_json::Value;

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

/// MEM-MAINT-2, MEM-MAINT-4, MEM-MAINT-6: what the agent forgets is left out of its recalls and proposals, can
/// still be shown, and the list says why.
#[test]
fn what_is_forgotten_is_recalled_no_more() {
    let place = Place::with_memories();
    let id = id_of(&place, "boat shed");
    place.refuses(["forget", &id], 3, "--reason");
    let forgotten = place.json(["forget", &id, "--reason", "out of date"]);
    assert_eq!(forgotten["forgottenNow"], true);
    assert_eq!(forgotten["tombstone"]["scope"], "actor");
    assert!(!ids(&place, "boat shed").contains(&id));
    let again = place.json(["forget", &id, "--reason", "out of date"]);
    assert_eq!(
        (&again["forgottenNow"], &again["index"]),
        (&false.into(), &forgotten["index"])
    );
    let shown = place.run(["show", &id]);
    assert!(
        shown.ok().stdout().contains("FORGOTTEN"),
        "{}",
        shown.stdout()
    );
    assert!(shown.stdout().contains("boat shed"), "{}", shown.stdout());
    let listed = place.json(["forget", "--list"]);
    assert_eq!(listed[0]["tombstone"]["reason"], "out of date");
    assert!(place.run(["forget", "--list"]).ok().stdout().contains(&id));
    is_clean(&place);
    let path = place.file("record.jsonl", RECORD.join("\n").as_bytes());
    place.run(["import".as_ref(), path.as_os_str()]).ok();
    assert!(
        !ids(&place, "boat shed").contains(&id),
        "an import brought it back"
    );
}

/// MEM-MAINT-1, MEM-MAINT-9: for all it is forgotten by the decision of a pinned authority, about this memory
/// and this actor, and by nothing else.
#[test]
fn for_all_it_is_forgotten_by_an_authority_alone() {
    let place = Place::with_memories();
    let authority = Place::new();
    let id = id_of(&place, "boat shed");
    let did = |place: &Place| {
        let did = fs::read_to_string(place.keys().join("agent.pub")).unwrap();
        did.trim().to_owned()
    };
    let decide = |id: &str, actor: &str, key: &Path| {
        let key = key.to_str().unwrap();
        let decided = place.run([
            "decide", "forget", id, "--actor", actor, "--reason", "asked to", "--key", key,
        ]);
        place.file("decision.json", decided.ok().stdout().as_bytes())
    };
    let key = authority.keys().join("agent.key");
    let forget = |decision: &Path| {
        let decision = decision.to_str().unwrap();
        let args = [
            "forget",
            &id,
            "--reason",
            "asked to",
            "--scope",
            "global",
            "--decision",
            decision,
        ];
        place.run(args)
    };
    place.refuses(
        ["forget", &id, "--reason", "x", "--scope", "global"],
        3,
        "--decision",
    );
    let good = decide(&id, &did(&place), &key);
    forget(&good).refused(3, "authorities");
    let authorities = place.dir().join("authorities");
    fs::write(&authorities, format!("# mine\n{}\n", did(&place))).unwrap();
    forget(&good).refused(1, "is not an authority");
    fs::write(&authorities, format!("# theirs\n{}\n", did(&authority))).unwrap();
    forget(&decide("world-other", &did(&place), &key)).refused(3, "not about");
    forget(&decide(&id, &did(&authority), &key)).refused(3, "not about");
    let edited = fs::read_to_string(decide(&id, &did(&place), &key)).unwrap();
    let edited = edited.replace("asked to", "made up");
    forget(&place.file("edited.json", edited.as_bytes())).refused(1, "proof");
    assert!(ids(&place, "boat shed").contains(&id));

    forget(&decide(&id, &did(&place), &key)).ok();
    assert!(!ids(&place, "boat shed").contains(&id));
    let listed = place.json(["forget", "--list"]);
    let kept: Value =
        serde_json::from_str(listed[0]["tombstone"]["decision"].as_str().unwrap()).unwrap();
    assert_eq!(kept["authority"], did(&authority));
    is_clean(&place);
}

/// C9, adversarial cases D55 and D56: what is archived is recalled no more and can be restored; a
/// segment that was changed, and one without a receipt, are not.
#[test]
fn what_is_archived_comes_back_from_an_untouched_segment_alone() {
    let place = Place::with_memories();
    let id = id_of(&place, "boat shed");
    let tomorrow = "2100-01-01";
    let planned = place.json(["archive", "--before", tomorrow, "--dry-run"]);
    assert_eq!(planned["segments"][0]["capsules"], 5);
    assert!(!place.dir().join("archive").exists());
    let archived = place.json(["archive", "--before", tomorrow]);
    let segment = archived["segments"][0]["segment"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(ids(&place, "heron key").is_empty());
    place.run(["show", &id]).refused(3, &segment);
    let told = place.run(["recall", "heron key"]);
    assert!(
        told.ok().stderr().contains("5 memories are archived"),
        "{}",
        told.stderr()
    );
    is_clean(&place);
    let nothing = place.json(["archive", "--older-than", "1y"]);
    assert_eq!(nothing["segments"].as_array().unwrap().len(), 0);

    let path = place.dir().join("archive").join(&segment);
    let good = fs::read(&path).unwrap();
    fs::write(&path, &good[..good.len() - 1]).unwrap();
    place.refuses(["restore", &segment], 1, "refused");
    fs::write(&path, &good).unwrap();
    let other = Place::with_memories();
    let forged = other.json(["archive", "--before", tomorrow]);
    let forged = forged["segments"][0]["segment"].as_str().unwrap();
    let from = other.dir().join("archive");
    place.refuses(
        ["restore", forged, "--from", from.to_str().unwrap()],
        1,
        "no receipt",
    );

    let listed = place.json(["restore", "--list"]);
    assert_eq!(
        (&listed[0]["capsules"], &listed[0]["archived"]),
        (&5.into(), &5.into())
    );
    let restored = place.json(["restore", "--all", "--discard"]);
    assert_eq!(restored["segments"][0]["restored"], 5);
    assert!(!path.exists());
    assert!(ids(&place, "heron key").contains(&id));
    assert!(place.run(["show", &id]).ok().stdout().contains("boat shed"));
    is_clean(&place);
    place.run(["restore", "--all"]).ok();
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

/// C10: a store without anything that was refused has nothing to collect.
#[test]
fn nothing_accepted_is_ever_collected() {
    let place = Place::with_memories();
    let before = place.state();
    for args in [
        vec!["gc"],
        vec!["gc", "--dry-run"],
        vec!["gc", "--older-than", "0d"],
    ] {
        let collected = place.json(args);
        assert_eq!(collected["collected"].as_array().unwrap().len(), 0);
    }
    assert_eq!(place.state(), before);
    place
        .run(["gc", "--older-than", "soon"])
        .refused(3, "duration");
}

/// Adversarial case D58: a version of an evolving memory is erased. It validates as indeterminate
/// and never as invalid, nothing can be rolled back to it, and a restore from a segment that still
/// holds it does not bring it back; the certificate has named that segment.
#[test]
fn an_erased_version_stays_erased() {
    let place = Place::new();
    let text = |text: &str| format!("/text={text}");
    let id = |answer: &Value| answer["worldId"].as_str().unwrap().to_owned();
    let first = id(&place.json(["remember", "the code is one"]));
    let second = id(&place.json(["update", &first, "--set", &text("the code is zanzibarine")]));
    let third = id(&place.json(["update", &second, "--set", &text("the code is three")]));
    let archived = place.json(["archive", "--before", "2100-01-01"]);
    let segment = archived["segments"][0]["segment"]
        .as_str()
        .unwrap()
        .to_owned();
    place.refuses(
        ["erase", &second, "--reason", "asked to", "--yes"],
        3,
        "restore",
    );
    place.run(["restore", &segment]).ok();

    let certificate = place.json(["erase", &second, "--reason", "asked to", "--yes"]);
    let copies = &certificate["copies"];
    assert_eq!(copies["segments"][0]["segment"], segment.as_str());
    assert_eq!(copies["versions"].as_array().unwrap().len(), 2);
    assert!(
        certificate["erased"][0]["gone"]["nextDelta"]["bytes"]
            .as_u64()
            .is_some()
    );
    place.refuses(["rollback", &third, "--to", "1"], 3, "content");
    place.run(["rollback", &third, "--to", "0"]).ok();
    let validated = place.run(["--json", "validate"]);
    assert_ne!(validated.0.status.code(), Some(1), "{}", validated.stdout());
    is_clean(&place);

    place.run(["archive", "--before", "2100-01-01"]).ok();
    let restored = place.json(["restore", &segment]);
    assert_eq!(restored["segments"][0]["erased"], 1);
    let shown = place.run(["show", &second]);
    assert!(shown.ok().stdout().contains("ERASED"), "{}", shown.stdout());
    place.run(["restore", "--all"]).ok();
    place.run(["restore", &segment, "--discard"]).ok();
    is_clean(&place);
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

/// What is no name of a segment is the caller's to mend, and no file elsewhere is looked at.
#[test]
fn a_segment_that_nobody_knows_is_refused() {
    let place = Place::with_memories();
    for wrong in ["nope", "../x", "/etc/passwd", "segment-0123456789abcdef"] {
        place.refuses(["restore", wrong], 3, "restore --list");
    }
    place.run(["restore"]).refused(3, "--all|--list");
    place
        .run(["archive"])
        .refused(3, "--older-than <DURATION>|--before <T>");
    let help = place.run(["gc", "--help"]).ok().stdout();
    assert!(
        help.contains("7 days") && help.contains("30 days"),
        "{help}"
    );
}

/// A decision that is written to a file is told of.
#[test]
fn a_decision_in_a_file_is_told_of() {
    let place = Place::new();
    let (key, file) = (
        place.keys().join("agent.key"),
        place.folder().join("d.json"),
    );
    let did = fs::read_to_string(place.keys().join("agent.pub")).unwrap();
    let decided = place.run([
        "decide".as_ref(),
        "forget".as_ref(),
        "world-a".as_ref(),
        "--actor".as_ref(),
        did.trim().as_ref(),
        "--reason".as_ref(),
        "asked to".as_ref(),
        "--key".as_ref(),
        key.as_os_str(),
        "-o".as_ref(),
        file.as_os_str(),
    ]);
    let said = decided.ok().stdout();
    assert!(
        said.contains("written to") && said.contains("d.json"),
        "{said}"
    );
    assert!(file.exists());
}
