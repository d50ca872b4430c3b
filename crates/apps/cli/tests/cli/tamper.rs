//! Tampering, as seen from the command line: with the database, with a proof, with a reference.

use std::fs;

use crate::place::Place;
use rusqlite::Connection;

/// The files beside the database were believed without a look at their signature: a floor that was
/// set back, or a broken last checkpoint, audited clean.
#[test]
fn a_changed_file_beside_the_database_is_found_by_the_audit() {
    let place = Place::with_memories();
    place.run(["anchors"]).ok();
    place.run(["audit"]).ok();
    for file in [
        place.keys().join("last-checkpoint"),
        place.dir().join("floor"),
    ] {
        let note = fs::read_to_string(&file).unwrap();
        // The note's end is the signature in base64; a letter within it becomes another.
        let at = note.len() - 20;
        let other = if note.as_bytes()[at] == b'A' {
            "B"
        } else {
            "A"
        };
        fs::write(&file, [&note[..at], other, &note[at + 1..]].concat()).unwrap();
        let audit = place.run(["audit", "--json"]);
        let said = audit.code(1).json();
        assert_eq!(said["total"], 1, "{said}");
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(
            said["differences"][0]["place"]
                .as_str()
                .unwrap()
                .ends_with(name),
            "{said}"
        );
        fs::write(&file, note).unwrap();
    }
    place.run(["audit"]).ok();
}

/// `doctor` was content with a table that accepted updates again.
#[test]
fn a_dropped_trigger_is_named_by_the_doctor() {
    let place = Place::with_memories();
    place.run(["doctor"]).ok();
    let connection = Connection::open(place.database()).unwrap();
    connection
        .execute_batch("DROP TRIGGER log_is_not_updated")
        .unwrap();
    drop(connection);
    let ran = place.run(["doctor"]);
    assert!(
        ran.code(1).stdout().contains("log_is_not_updated"),
        "{}",
        ran.stdout()
    );
}

/// An event that was deleted is missed: by the row that links it, and with that row by the head beside the keys, until the
/// loss is accepted.
#[test]
fn a_deleted_event_is_missed() {
    let place = Place::with_memories();
    let file = place.file("bad.jsonl", b"no capsule\n");
    place
        .run(["import", file.to_str().unwrap(), "--format", "capsules"])
        .code(1);
    place.run(["audit"]).ok();
    let missed = |sql: &str, named: &str| {
        let raw = Connection::open(place.database()).unwrap();
        let triggers = "SELECT group_concat(sql, ';'), group_concat('DROP TRIGGER ' || name, ';')
             FROM sqlite_schema WHERE type = 'trigger'";
        let texts = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let (make, drop): (String, String) = raw.query_row(triggers, [], texts).unwrap();
        raw.execute_batch(&format!("{drop};{sql};{make}")).unwrap();
        let ran = place.run(["audit", "--json"]);
        let audited = ran.code(1).json();
        assert_eq!(audited["differences"][0]["place"], named, "{audited}");
    };
    missed("DELETE FROM event", "event");
    place.run(["validate"]).code(1);
    missed("DELETE FROM journal", "keys/last-checkpoint.journal");
    place.run(["remember", "written all the same"]).ok();
    place.run(["audit"]).code(1);
    place.run(["reconcile"]).ok();
    place.run(["audit"]).ok();
}
