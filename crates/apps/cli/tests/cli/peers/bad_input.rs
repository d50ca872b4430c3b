//! Input that cannot be used: one clear line, exit 3, and nothing else changes.

use super::{meet, shown};
use crate::place::Place;

#[test]
fn an_agent_that_cannot_be_reached_is_not_added() {
    let me = Place::new();
    let ran = me.run(["peer", "add", "X", "http://127.0.0.1:1"]);
    ran.refused(2, "cannot be reached");
    me.run(["peer", "add", "X", "http://bea.example"])
        .refused(3, "");
    assert_eq!(me.json(["peer", "list"])["peers"], serde_json::json!([]));
}

/// A file of 8 GiB of nothing was read for a minute, and what is no file may have no end.
#[test]
fn what_has_no_end_is_not_begun() {
    let me = Place::new();
    let sparse = me.file("sparse", b"");
    let file = std::fs::File::options().write(true).open(&sparse).unwrap();
    file.set_len(8 << 30).unwrap();
    let folder = sparse.parent().unwrap().to_owned();
    let refused = ["no file of at most 64 MiB", "a plain file is needed"];
    for (path, refused) in [sparse, folder].iter().zip(refused) {
        me.run(["vouch", "import", &shown(path)])
            .refused(3, refused);
    }
}

#[test]
fn no_more_than_ten_thousand_are_taken_in_at_once() {
    let me = Place::new();
    let path = me.file("many", "x\n".repeat(10_001).as_bytes());
    let ran = me.run(["--json", "vouch", "import", &shown(&path)]);
    let report = ran.code(3).json();
    assert_eq!(
        (report["read"].as_u64(), report["more"].as_bool()),
        (Some(10_000), Some(true))
    );
    assert_eq!(report["refused"].as_array().unwrap().len(), 1000);
    assert!(
        ran.stderr().contains("at most 10000 vouches"),
        "{}",
        ran.stderr()
    );
    let empty = me.file("empty", b"\n\n");
    me.run(["vouch", "import", &shown(&empty)])
        .refused(3, "holds no vouches");
}

/// A distrust was lifted by an earlier time in its row, and the audit said that all is well.
#[test]
fn a_distrust_that_is_dated_back_or_removed_is_noticed() {
    let (me, bea) = (Place::new(), Place::new());
    meet(&me, "Bea", &bea);
    me.run(["peer", "trust", "Bea"]).ok();
    me.run(["peer", "distrust", "Bea"]).ok();
    let as_it_was = std::fs::read(me.database()).unwrap();
    for (edit, table) in [
        (
            "UPDATE capsule SET header = replace(header, json_extract(header, '$.timestamp'),
                 (SELECT json_extract(header, '$.timestamp') FROM capsule WHERE idx = 0)) WHERE idx = 3",
            "capsule",
        ),
        ("UPDATE body SET payload = replace(payload, 'distrust', 'contact') WHERE idx = 3", "body"),
        ("DELETE FROM trust WHERE idx = 3", "trust"),
        ("UPDATE trust SET idx = 0 WHERE idx = 3", "trust"),
    ] {
        let database = rusqlite::Connection::open(me.database()).unwrap();
        // Whoever edits the file removes what guards its rows, and puts it back.
        let guards = "SELECT 'DROP TRIGGER ' || name, sql FROM sqlite_schema WHERE type = 'trigger'";
        let mut guarding = database.prepare(guards).unwrap();
        let guards = guarding.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        let (removed, made): (Vec<String>, Vec<String>) = guards.unwrap().map(Result::unwrap).unzip();
        database.execute_batch(&removed.join(";")).unwrap();
        assert_eq!(database.execute(edit, []).unwrap(), 1, "{edit}");
        database.execute_batch(&made.join(";\n")).unwrap();
        drop(guarding);
        drop(database);
        for args in [&["trust", "explain", "Bea"][..], &["peer", "list"]] {
            let ran = me.run(args);
            let said = ran.code(4).stderr();
            assert!(said.contains("table trust, entry "), "{edit}: {said}");
        }
        let audit = me.run(["check", "--deep"]);
        assert!(audit.code(1).stdout().contains(table), "{edit}: {}", audit.stdout());
        std::fs::write(me.database(), &as_it_was).unwrap();
    }
    assert_eq!(me.json(["trust", "explain", "Bea"])["level"], 0);
    // What did not verify was noted in databases that are gone.
    me.run(["reconcile"]).ok();
    me.run(["check", "--deep"]).ok();
}
