//! `counterfoil validate`, through the real binary: what it says, and its exit codes.

use rusqlite::Connection;
use serde_json::Value;

use crate::place::{Place, Ran};

fn lines(ran: &Ran) -> Vec<Value> {
    let text = ran.stdout();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn of_type<'l>(lines: &'l [Value], kind: &str) -> Vec<&'l Value> {
    lines.iter().filter(|line| line["type"] == kind).collect()
}

/// Past the triggers, which are put back: only what is stored differs.
fn damage(place: &Place, sql: &str) {
    let raw = Connection::open(place.database()).unwrap();
    let trigger = |name: &str| -> String {
        raw.query_row(
            "SELECT sql FROM sqlite_schema WHERE name = ?1",
            [name],
            |row| row.get(0),
        )
        .unwrap()
    };
    let names = [
        "body_is_only_taken_away",
        "capsule_becomes_a_stub_or_comes_back",
    ];
    let kept = names.map(trigger);
    for name in names {
        raw.execute_batch(&format!("DROP TRIGGER {name}")).unwrap();
    }
    raw.execute_batch(sql).unwrap();
    for sql in kept {
        raw.execute_batch(&sql).unwrap();
    }
}

/// C16: one line a capsule, one a chain, one that sums up; exit 0.
/// (CAP-26)
#[test]
fn a_sound_store_is_valid_line_by_line() {
    let place = Place::with_memories();
    for which in ["each", "checkpoint"] {
        let ran = place.run(["--json", "validate", "--signatures", which]);
        let told = lines(ran.ok());
        let capsules = of_type(&told, "capsule");
        assert!(capsules.len() >= 5);
        assert!(capsules.iter().all(|line| line["verdict"] == "valid"));
        assert_eq!(of_type(&told, "head").len(), capsules.len());
        let summary = told.last().unwrap();
        assert_eq!(summary["type"], "summary");
        assert_eq!(summary["verdict"], "valid");
        let checked = summary["signaturesChecked"].as_u64().unwrap();
        assert_eq!(checked == 0, which == "checkpoint");
    }
    let said = place.run(["validate"]).ok().stdout();
    assert!(said.contains("0 invalid, 0 indeterminate"), "{said}");
    assert!(said.contains("checkpoint"), "{said}");
}

/// Adversarial case D53: a changed content is told with its place, exit 1; it is an event, and it is not
/// deleted.
/// (CAP-28)
#[test]
fn a_changed_content_is_invalid_and_an_event() {
    let place = Place::with_memories();
    damage(
        &place,
        "UPDATE body SET payload = replace(payload, 'heron', 'heroN') WHERE idx = 1",
    );
    let ran = place.run(["--json", "validate", "--all"]);
    let told = lines(ran.code(1));
    let bad: Vec<&Value> = told
        .iter()
        .filter(|line| line["verdict"] == "invalid")
        .collect();
    assert_eq!(
        (&bad[0]["index"], &bad[0]["code"]),
        (&1.into(), &"E_STATE".into())
    );
    assert_eq!(bad[0]["findings"][0]["check"], "body");
    assert_eq!(told.last().unwrap()["firstBad"][0]["index"], 1);
    ran.refused(1, "1 capsule is invalid");

    let events = place.json(["events", "--kind", "corruption"]);
    let event = &events["events"][0];
    assert_eq!(
        (&event["code"], &event["kind"]),
        (&"E_STATE".into(), &"corruption".into())
    );
    assert_eq!(event["attributable"], false);
    place.run(["validate"]).refused(1, "1 capsule is invalid");
    let again = place.json(["events", "--kind", "corruption"]);
    assert_eq!(again["events"].as_array().unwrap().len(), 1);
    let raw = Connection::open(place.database()).unwrap();
    let count: u64 = raw
        .query_row("SELECT count(*) FROM capsule", [], |row| row.get(0))
        .unwrap();
    assert!(count >= 5);
}

/// What is erased or archived is open: exit 2, and `--deep` closes the archive.
#[test]
fn what_is_not_here_is_indeterminate() {
    let place = Place::with_memories();
    let id = place.json(["remember", "a secret"])["worldId"].clone();
    place.run(["archive", "--before", "2100-01-01"]).ok();
    place.run(["validate"]).refused(2, "cannot be decided");
    place.run(["validate", "--deep"]).ok();
    let id = id.as_str().unwrap();
    drop(place.run(["restore", "--all"]));
    let later = place.json(["remember", "another secret"])["worldId"].clone();
    let later = later.as_str().unwrap();
    place
        .run(["erase", later, "--reason", "asked to", "--yes"])
        .ok();
    let ran = place.run(["validate", "--deep"]);
    ran.refused(2, "cannot be decided");
    let said = ran.stdout();
    assert!(said.contains("the content was erased"), "{said} {id}");
    assert!(said.contains("the log records each erasure"), "{said}");
    place.run(["validate", "--erased-ok"]).ok();
}

/// C9: an archived rollback is decided by the version that it restores, and a segment that is not there is
/// named.
#[test]
fn an_archived_rollback_is_decided() {
    let place = Place::with_memories();
    let first = place.json(["remember", "the heron stands"])["worldId"].clone();
    let first = first.as_str().unwrap();
    place
        .run(["update", first, "--set", "/text=\"the heron flies\""])
        .ok();
    place.run(["rollback", first, "--to", "0"]).ok();
    place
        .run(["update", first, "--set", "/text=\"the heron lands\""])
        .ok();
    place.run(["archive", "--before", "2100-01-01"]).ok();
    place.run(["validate", "--deep"]).ok();
    place.run(["audit"]).ok();
    std::fs::remove_dir_all(place.dir().join("archive")).unwrap();
    let ran = place.run(["validate", "--deep"]);
    ran.refused(2, "put segment-");
}

/// D58: what is open after an erasure says of each version what is gone.
#[test]
fn an_erased_version_is_told_from_the_change_after_it() {
    let place = Place::with_memories();
    let first = place.json(["remember", "the heron stands"])["worldId"].clone();
    let first = first.as_str().unwrap();
    place
        .run(["update", first, "--set", "/text=\"the heron flies\""])
        .ok();
    place.run(["rollback", first, "--to", "0"]).ok();
    place
        .run(["erase", first, "--reason", "asked to", "--yes"])
        .ok();
    let said = place.run(["validate"]).code(2).stdout();
    assert!(said.contains("the content was erased"), "{said}");
    assert!(
        said.contains("the change that led to it was erased"),
        "{said}"
    );
    place.run(["validate", "--erased-ok"]).ok();
}

/// C8, C10: what an import left beside the chains is told, and a row of it that was taken away by hand is
/// found.
#[test]
fn what_is_beside_the_chains_is_told() {
    let (one, other) = (Place::with_memories(), Place::with_memories());
    let file = one.folder().join("theirs.jsonl");
    let path = file.to_str().unwrap();
    other.run(["export", "-o", path]).ok();
    one.run(["import", path, "--format", "capsules"]).ok();
    std::fs::write(&file, "{}\n").unwrap();
    drop(one.run(["import", path, "--format", "capsules"]));
    let ran = one.run(["--json", "validate"]);
    let told = lines(ran.ok());
    let summary = told.last().unwrap();
    assert_eq!(summary["openForks"], 0);
    assert_eq!(summary["quarantined"], 1, "{summary}");
    let said = one.run(["doctor"]).ok().stdout();
    assert!(said.contains("1 quarantined document"), "{said}");
    let said = one.run(["audit"]).ok().stdout();
    assert!(said.contains("1 quarantined document"), "{said}");

    let raw = Connection::open(one.database()).unwrap();
    let name = "received_is_not_deleted";
    let sql: String = raw
        .query_row(
            "SELECT sql FROM sqlite_schema WHERE name = ?1",
            [name],
            |row| row.get(0),
        )
        .unwrap();
    raw.execute_batch(&format!("DROP TRIGGER {name}; DELETE FROM received"))
        .unwrap();
    raw.execute_batch(&sql).unwrap();
    drop(raw);
    one.run(["rebuild"]).ok();
    let said = one.run(["audit"]).code(1).stdout();
    assert!(said.contains("by other agents"), "{said}");
}
