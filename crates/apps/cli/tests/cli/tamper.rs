//! Tampering, as seen from the command line: with the database, with a proof, with a reference.

use std::fs;

use crate::place::Place;
use rusqlite::Connection;

/// The files beside the database were believed without a look at their signature: a floor that was
/// set back, or a broken last checkpoint, audited clean.
#[test]
fn a_changed_file_beside_the_database_is_found() {
    let place = Place::with_memories();
    place.run(["anchors"]).ok();
    place.run(["check"]).ok();
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
        let audit = place.run(["check", "--json"]);
        let said = audit.code(1).json();
        assert_eq!(said["stored"]["total"], 1, "{said}");
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(
            said["stored"]["differences"][0]["place"]
                .as_str()
                .unwrap()
                .ends_with(name),
            "{said}"
        );
        fs::write(&file, note).unwrap();
    }
    place.run(["check"]).ok();
}

/// `check` was content with a table that accepted updates again.
#[test]
fn a_dropped_trigger_is_named_by_the_check() {
    let place = Place::with_memories();
    place.run(["check"]).ok();
    let connection = Connection::open(place.database()).unwrap();
    connection
        .execute_batch("DROP TRIGGER log_is_not_updated")
        .unwrap();
    drop(connection);
    let ran = place.run(["check"]);
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
    place.run(["check"]).ok();
    let missed = |sql: &str, named: &str| {
        forge(&place, sql);
        let ran = place.run(["check", "--json"]);
        let audited = ran.code(1).json();
        assert_eq!(
            audited["stored"]["differences"][0]["place"], named,
            "{audited}"
        );
    };
    missed("DELETE FROM event", "event");
    place.run(["check"]).code(1);
    missed("DELETE FROM journal", "keys/last-checkpoint.journal");
    place.run(["remember", "written all the same"]).ok();
    place.run(["check"]).code(1);
    place.run(["reconcile"]).ok();
    place.run(["check"]).ok();
}

/// Changes a database past its triggers.
pub(crate) fn forge(place: &Place, sql: &str) {
    let raw = Connection::open(place.database()).unwrap();
    let triggers = "SELECT group_concat(sql, ';'), group_concat('DROP TRIGGER ' || name, ';')
         FROM sqlite_schema WHERE type = 'trigger'";
    let texts = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let (make, drop): (String, String) = raw.query_row(triggers, [], texts).unwrap();
    raw.execute_batch(&format!("{drop};{sql};{make}")).unwrap();
}

/// Each command, over each kind of edit: a memory that does not match its hash, its signature or its place in the log is
/// withheld and named, and the exit code is 2.
#[test]
fn no_command_hands_out_what_was_not_sealed() {
    let place = Place::new();
    let made = |args: &[&str], member: &str| place.json(args)[member].as_str().unwrap().to_owned();
    // Entries: 1 and 3 are the versions of a memory, 2 is the other memory, 4 the claim.
    let first = made(&["remember", "Kit prefers dark mode"], "id");
    let other = made(&["remember", "Kit must not eat sesame"], "id");
    let set = "/text=Kit prefers dark mode by night";
    let last = made(&["update", &first, "--set", set], "id");
    let stated = ["claim", "add", "Kit", "lives in", "Porto", "--from", "2020"];
    let claim = made(&stated, "ref");
    let about_memory = about_memory(&last, &other);
    let about_claim = about_claim(&claim);
    let forged = exported(&place, &claim).replace("Porto", "FORGED");
    let forged = format!("UPDATE body SET payload = '{forged}' WHERE idx = 4");
    let theirs = Place::new();
    theirs.run(["remember", "FORGED: dark mode is off"]).ok();
    let attach = format!("ATTACH '{}' AS theirs;", theirs.database().display());
    let clean = fs::read(place.database()).unwrap();
    let edits = EDITS.iter().enumerate();
    let edits = edits.map(|(number, sql)| (number, (*sql).to_owned(), &about_memory));
    let of_another = format!("{attach} {OF_ANOTHER}");
    let others = [
        (1, of_another, &about_memory),
        // Words of a claim.
        (0, forged, &about_claim),
    ];
    for (kind, sql, commands) in edits.chain(others) {
        forge(&place, &sql);
        for (number, command) in commands.iter().enumerate() {
            let command: Vec<&str> = command.iter().map(String::as_str).collect();
            // The log itself is as it was: who reads it by index sees nothing of the index of ids.
            let by_index = command[0] == "export" || command[1] == "--entry";
            if sql.starts_with("UPDATE world") && by_index {
                continue;
            }
            // Each form over the edits of words, one of them over the others.
            for json in [false, true] {
                if kind == 0 || json == (number % 2 == 0) {
                    is_withheld(&place, &sql, &command, json);
                }
            }
        }
        for beside in ["db-wal", "db-shm"] {
            drop(fs::remove_file(place.database().with_extension(beside)));
        }
        fs::write(place.database(), &clean).unwrap();
    }
    for command in about_memory.iter().chain(&about_claim) {
        place.run(command).ok();
    }
}

/// A claim that is withheld takes no other memory with it.
#[test]
fn a_withheld_claim_leaves_the_other_memories_to_recall() {
    let place = Place::new();
    place.run(["remember", "Kit keeps bees in Porto"]).ok();
    let stated = place.json(["claim", "add", "Kit", "lives in", "Porto"]);
    let claim = stated["ref"].as_str().unwrap();
    let forged = exported(&place, claim).replace("Porto", "FORGED");
    forge(
        &place,
        &format!("UPDATE body SET payload = '{forged}' WHERE idx = 2"),
    );
    for question in ["Kit bees Porto", "where does Kit live?"] {
        let ran = place.run(["recall", question]);
        let (found, noticed) = (ran.stdout(), ran.stderr());
        assert!(
            found.contains("keeps bees") && !found.contains("FORGED"),
            "{found}"
        );
        let named = format!("{claim} is withheld");
        assert!(noticed.contains(&named), "{noticed}");
        ran.code(2);
    }
}

/// Edits of a memory: words, then all else that its receipt rests on.
const EDITS: [&str; 11] = [
    "UPDATE body SET payload = replace(payload, 'Kit', 'FORGED') WHERE payload IS NOT NULL AND idx <> 2",
    "UPDATE body SET delta = replace(delta, 'night', 'FORGED') WHERE idx = 3",
    "UPDATE body SET (payload, salt) = (SELECT payload, salt FROM body WHERE idx = 2) WHERE idx = 3",
    "UPDATE body SET payload = NULL, salt = NULL, delta = NULL, delta_salt = NULL WHERE idx = 3",
    "UPDATE capsule SET signature = zeroblob(64) WHERE idx = 3",
    "UPDATE capsule SET field_root = zeroblob(32) WHERE idx = 3",
    "UPDATE capsule SET header = replace(header, '\"timestamp\":\"20', '\"timestamp\":\"21') WHERE idx = 3",
    "UPDATE capsule SET header = 'FORGED' WHERE idx = 3",
    "UPDATE log SET hashes = zeroblob(length(hashes)) WHERE idx = 3",
    "UPDATE head SET checkpoint = replace(checkpoint, char(10) || '5' || char(10), char(10) || '4' || char(10))",
    "UPDATE world SET idx = idx + 100 WHERE idx IN (2, 3); UPDATE world SET idx = 105 - idx WHERE idx > 100",
];

/// A whole capsule of another agent, under the id of this one: its own signature holds.
const OF_ANOTHER: &str = "
    UPDATE capsule SET (header, signature, field_root, field_count) = (SELECT header, signature, field_root, field_count
        FROM theirs.capsule WHERE idx = 1) WHERE idx = 3;
    UPDATE body SET (payload, salt, delta, delta_salt) = (SELECT payload, salt, NULL, NULL FROM theirs.body WHERE idx = 1)
        WHERE idx = 3;
    DETACH theirs";

/// Each command that reads a memory.
fn about_memory(last: &str, other: &str) -> Vec<Vec<String>> {
    let commands = [
        "recall|dark mode",
        "recall|dark mode|--all-versions",
        "recall|dark mode|--method|none",
        "show|LAST",
        "show|--entry|3",
        "history|LAST",
        "diff|LAST|OTHER",
        "as-of|2099-01-01",
        "as-of|2099-01-01|dark mode",
        "propose|--summary|s|--recall|dark mode|-o|/dev/null",
        "export",
        "update|LAST|--set|/tag=1",
    ];
    let named = commands.map(|line| line.replace("LAST", last).replace("OTHER", other));
    let words = named
        .iter()
        .map(|line| line.split('|').map(str::to_owned).collect());
    words.collect()
}

/// Each command that reads a claim.
fn about_claim(claim: &str) -> Vec<Vec<String>> {
    let commands = [
        "believe|Kit|lives in",
        "believe|Kit",
        "why|Kit|lives in",
        "history|Kit|lives in",
        "timeline|Kit",
        "prove|Kit|lives in",
        "claim|show|CLAIM",
        "claim|ledger",
        "recall|lives Porto",
        "show|CLAIM",
        "as-of|2099-01-01",
        "export",
    ];
    let named = commands.map(|line| line.replace("CLAIM", claim));
    let words = named
        .iter()
        .map(|line| line.split('|').map(str::to_owned).collect());
    words.collect()
}

fn is_withheld(place: &Place, sql: &str, command: &[&str], json: bool) {
    let mut args = command.to_vec();
    args.extend(json.then_some("--json"));
    let ran = place.run(&args);
    let (said, noticed) = (ran.stdout(), ran.stderr());
    assert!(!said.contains("FORGED"), "{sql}: {args:?}: {said}");
    assert_eq!(ran.0.status.code(), Some(2), "{sql}: {args:?}: {noticed}");
    let named = noticed.contains(" is withheld (E_");
    assert!(named, "{sql}: {args:?}: {noticed}");
    if json && !["export", "prove"].contains(&command[0]) {
        let withheld = &ran.json()["withheld"][0];
        let is_named = withheld["id"].is_string() && withheld["code"].is_string();
        assert!(is_named, "{sql}: {args:?}: {said}");
    }
}

/// Content of a claim as it is exported.
fn exported(place: &Place, id: &str) -> String {
    let lines = place.run(["export"]).stdout();
    let line = lines
        .lines()
        .find(|line| line.contains(&format!("\"world\":\"{id}\"")));
    let line: serde_json::Value = serde_json::from_str(line.unwrap()).unwrap();
    line["payload"]["state"].to_string()
}

/// `--unsafe` shows what is withheld, marked, and what is gone from the index is noticed by the numbers of its rows.
#[test]
fn what_is_withheld_is_shown_on_demand_and_missing_rows_are_noticed() {
    let place = Place::with_memories();
    let clean = fs::read(place.database()).unwrap();
    forge(
        &place,
        "UPDATE body SET payload = replace(payload, 'heron', 'FORGED')",
    );
    let ran = place.run(["recall", "key boat", "--unsafe"]);
    ran.code(2);
    assert!(
        ran.stdout()
            .contains("[UNSAFE: not what was sealed (E_STATE)"),
        "{}",
        ran.stdout()
    );
    assert!(ran.stdout().contains("FORGED"));
    place.run(["check"]).code(1);
    for rows in ["world", "chain", "text_turns", "text_index"] {
        fs::write(place.database(), &clean).unwrap();
        forge(
            &place,
            &format!("DELETE FROM {rows} WHERE rowid = 2")
                .replace("chain WHERE rowid", "chain WHERE idx"),
        );
        for command in [&["recall", "boat"][..], &["as-of", "2099-01-01"]] {
            let ran = place.run(command);
            ran.code(2);
            assert!(
                ran.stderr().contains("counterfoil rebuild"),
                "{command:?}: {}",
                ran.stderr()
            );
        }
        place.run(["check"]).code(1);
        place.run(["rebuild"]).ok();
        place.run(["recall", "boat"]).ok();
    }
}
