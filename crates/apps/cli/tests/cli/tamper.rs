//! Tampering, as seen from the command line: with the database, with a proof, with a reference.

use std::fs;

use crate::place::Place;
use rusqlite::Connection;
use serde_json::Value;

/// Changes the database past its triggers.
fn forge(place: &Place, sql: &str) {
    let connection = Connection::open(place.database()).unwrap();
    let triggers: Vec<(String, String)> = connection
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    for (name, _) in &triggers {
        connection
            .execute_batch(&format!("DROP TRIGGER \"{name}\""))
            .unwrap();
    }
    connection
        .execute_batch("PRAGMA foreign_keys = OFF")
        .unwrap();
    connection.execute_batch(sql).unwrap();
    for (_, sql) in &triggers {
        connection.execute_batch(sql).unwrap();
    }
}

#[test]
fn a_changed_text_is_recalled_unproven_and_found_by_the_audit() {
    let place = Place::with_memories();
    forge(
        &place,
        "UPDATE body SET payload = replace(payload, 'boat shed', 'bank safe') WHERE idx = 1",
    );
    let trace = place.json(["recall", "heron key boat shed", "--before", "2025-04-01"]);
    let forged = &trace["selected"][0];
    assert_eq!(forged["verified"], false);
    let verified = place.json(["recall", "heron key boat shed", "--require-verified"]);
    let ids: Vec<&Value> = verified["selected"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["ref"])
        .collect();
    assert!(!ids.contains(&&forged["ref"]));
    let audit = place.run(["--json", "audit"]);
    let found = audit.code(1).json();
    assert_eq!(found["clean"], false);
    assert_eq!(found["differences"][0]["place"], "body");
    assert_eq!(found["differences"][0]["index"], 1);
}

/// The audit names the table in which anything was changed.
#[test]
fn a_change_in_any_table_is_found_and_placed() {
    for (sql, table) in [
        (
            "UPDATE capsule SET header = replace(header, '\"seq\":0', '\"seq\":1') WHERE idx = 2",
            "capsule",
        ),
        (
            "UPDATE capsule SET signature = zeroblob(64) WHERE idx = 1",
            "capsule",
        ),
        (
            "UPDATE capsule SET field_root = zeroblob(32) WHERE idx = 1",
            "capsule",
        ),
        ("UPDATE body SET salt = zeroblob(32) WHERE idx = 3", "body"),
        (
            "UPDATE log SET hashes = zeroblob(length(hashes)) WHERE idx = 4",
            "log",
        ),
        ("UPDATE head SET size = 4", "head"),
        (
            "UPDATE head SET checkpoint = replace(checkpoint, '6', '5')",
            "head",
        ),
        ("UPDATE origin SET verifier_key = 'x'", "origin"),
        ("UPDATE world SET id = id || 'x' WHERE idx = 1", "world"),
        ("UPDATE chain SET idx = 1 WHERE idx = 0", "chain"),
        ("UPDATE agent SET capsules = 4", "agent"),
        ("DELETE FROM body WHERE idx = 5", "body"),
        (
            "UPDATE text_turns SET body = body || 'x' WHERE idx = 2",
            "text_turns",
        ),
        (
            "UPDATE text_dialogues SET name = name || 'x'",
            "text_dialogues",
        ),
        (
            "UPDATE text_index_docsize SET sz = zeroblob(4) WHERE id = 1",
            "text_index",
        ),
        ("DELETE FROM text_index_data WHERE id > 10", "text_"),
        (
            "DROP TRIGGER IF EXISTS body_is_only_taken_away; CREATE TABLE extra (x)",
            "sqlite_schema",
        ),
    ] {
        let place = Place::with_memories();
        forge(&place, sql);
        let audit = place.run(["audit"]);
        assert_eq!(
            audit.0.status.code(),
            Some(1),
            "{sql}: {}{}",
            audit.stdout(),
            audit.stderr()
        );
        assert!(audit.stdout().contains(table), "{sql}: {}", audit.stdout());
    }
}

/// A schema that SQLite itself refuses is a difference too, not a store that cannot be reached.
#[test]
fn a_damaged_schema_is_found_by_the_audit() {
    let place = Place::with_memories();
    forge(
        &place,
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, 'TABLE \"body\"', 'TABLE bogus') WHERE name = 'body'",
    );
    let audit = place.run(["audit"]);
    audit.code(1);
    assert!(audit.stdout().contains("malformed"), "{}", audit.stdout());
}

/// FP-05 and the binding rows of proof.md §7, through files as an authority gets them.
#[test]
fn a_forged_proof_or_a_moved_one_is_rejected() {
    let place = Place::with_memories();
    let anchors = place.folder().join("anchors.json");
    place
        .run(["anchors".as_ref(), "-o".as_ref(), anchors.as_os_str()])
        .ok();
    let honest = place.json(["propose", "--summary", "s", "--recall", "heron key"]);
    let verify = |proposal: &Value| {
        let path = place.file("proposal.json", proposal.to_string().as_bytes());
        place.run([
            "verify".as_ref(),
            path.as_os_str(),
            "--anchors".as_ref(),
            anchors.as_os_str(),
        ])
    };
    verify(&honest).code(0);
    let selected = "/trace/context/memory/selected";
    let forge = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut forged = honest.clone();
        change(
            forged
                .pointer_mut(selected)
                .unwrap()
                .as_array_mut()
                .unwrap(),
        );
        verify(&forged)
    };
    let entry = "/evidence/proof/entry";
    forge(&|memories| {
        let text = memories[0].pointer_mut(entry).unwrap();
        *text = text
            .as_str()
            .unwrap()
            .replace("blake3:0", "blake3:1")
            .replace("blake3:a", "blake3:b")
            .replace("capsule blake3", "capsule  blake3")
            .into();
    })
    .code(1);
    forge(&|memories| {
        let other = memories[1]["ref"].clone();
        memories[0]["ref"] = other;
        memories.remove(1);
    })
    .code(1);
    forge(&|memories| {
        let other = memories[1]["evidence"].clone();
        memories[0]["evidence"] = other;
    })
    .code(1);
    // "verified" is the selector's word and proves nothing.
    let stripped = forge(&|memories| {
        for memory in memories {
            memory.as_object_mut().unwrap().remove("evidence");
        }
    });
    assert_ne!(stripped.0.status.code(), Some(0), "{}", stripped.stdout());
}

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

/// One letter of the secret key, and everything was signed by a stranger from then on.
#[test]
fn an_agent_key_that_is_not_the_pair_of_its_public_half_is_found() {
    let (place, other) = (Place::with_memories(), Place::new());
    fs::copy(
        other.keys().join("agent.key"),
        place.keys().join("agent.key"),
    )
    .unwrap();
    let said = place.run(["audit", "--json"]).code(1).json();
    assert_eq!(said["differences"][0]["place"], "keys/agent.key");
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
