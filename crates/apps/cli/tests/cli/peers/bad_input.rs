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

/// A record that was changed in the database makes trust unknown, and is said.
#[test]
fn a_changed_record_is_noticed() {
    let (me, bea) = (Place::new(), Place::new());
    meet(&me, "Bea", &bea);
    me.run(["peer", "distrust", "Bea"]).ok();
    let database = rusqlite::Connection::open(me.database()).unwrap();
    // Whoever edits the file removes first what guards its rows.
    let mut guards = database
        .prepare(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'trust_record'",
        )
        .unwrap();
    let names = guards.query_map([], |row| row.get(0)).unwrap();
    let names: Vec<String> = names.map(Result::unwrap).collect();
    for name in names {
        database
            .execute_batch(&format!("DROP TRIGGER {name}"))
            .unwrap();
    }
    let changed = "UPDATE trust_record SET document = \
        CAST(replace(CAST(document AS TEXT), '\"distrust\"', '\"contact\"') AS BLOB)";
    assert_eq!(database.execute(changed, []).unwrap(), 2);
    me.run(["trust", "explain", "Bea"])
        .refused(4, "not as it was kept");
    me.run(["peer", "list"]).refused(4, "not as it was kept");
}
