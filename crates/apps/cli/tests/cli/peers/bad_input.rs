//! Input that cannot be used: one clear line, exit 3, and nothing else changes.

use super::{DOMAIN, did, import, level, meet, shown, vouch};
use crate::place::Place;

#[test]
fn agents_are_named_so_that_they_are_found() {
    let (me, bea) = (Place::new(), Place::new());
    let key = did(&bea);
    meet(&me, "Bea", &bea);
    for (args, what) in [
        (
            vec!["peer", "add", "Bea", &did(&Place::new())],
            "another agent is called Bea",
        ),
        (
            vec!["peer", "add", "Me", &did(&me)],
            "the key of this agent itself",
        ),
        (vec!["peer", "add", "X", "did:web:x"], "is no key"),
        (vec!["peer", "add", "X", "x"], "is no key"),
        (vec!["peer", "add", "a/b", &key], "can be no name"),
        (vec!["peer", "add", "", &key], "can be no name"),
        (vec!["peer", "add", ".x", &key], "can be no name"),
        (
            vec!["peer", "add", "X", &key, "--log", "log"],
            "no verifier key",
        ),
        (
            vec!["peer", "add", "X", &key, "--at", "ftp://x"],
            "can be no address",
        ),
        (
            vec!["peer", "add", "X", &key, "--domain", "Cooking"],
            "a domain is",
        ),
        (vec!["peer", "trust", "Nobody"], "no agent is called Nobody"),
        (
            vec!["peer", "trust", "Bea", "--until", "2001-01-01"],
            "past",
        ),
        (vec!["peer", "trust", "Bea", "--until", "soon"], "--until"),
        (
            vec!["peer", "distrust", "Bea", "--by", "Nobody"],
            "no agent is called Nobody",
        ),
        (vec!["peer", "pin", "Nobody"], "no agent is called Nobody"),
        (
            vec!["trust", "explain", "Nobody"],
            "no agent is called Nobody",
        ),
        (
            vec!["vouch", "issue", &did(&me), "--domain", DOMAIN],
            "this agent itself",
        ),
        (
            vec!["vouch", "issue", "Nobody", "--domain", DOMAIN],
            "no agent is called Nobody",
        ),
        (vec!["vouch", "revoke", "x"], "is no id"),
        (
            vec!["vouch", "revoke", "0198c0de-0000-7000-8000-000000000000"],
            "has issued no vouch",
        ),
        (
            vec!["vouch", "list", "--of", "Nobody"],
            "no agent is called Nobody",
        ),
        (vec!["vouch", "import", "/nowhere"], "cannot be read"),
    ] {
        me.run(&args).refused(3, what);
    }
    assert_eq!(
        me.json(["peer", "list"])["peers"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn an_agent_that_cannot_be_reached_is_not_added() {
    let me = Place::new();
    let ran = me.run(["peer", "add", "X", "http://127.0.0.1:1"]);
    ran.refused(2, "cannot be reached");
    me.run(["peer", "add", "X", "http://bea.example"])
        .refused(3, "");
    assert_eq!(me.json(["peer", "list"])["peers"], serde_json::json!([]));
}

/// Bad lines are told with their numbers, and the others are kept.
#[test]
fn bad_lines_are_told_and_the_others_kept() {
    let (me, bea, kim) = (Place::new(), Place::new(), Place::new());
    meet(&me, "Bea", &bea);
    me.run(["peer", "trust", "Bea"]).ok();
    let good = vouch(&bea, &kim, "high");
    let forged = good.replacen("\"competent\"", "\"authority\"", 1);
    let request = "{\"type\":\"memory_request\"}\n";
    let lines = [forged.as_str(), "\n", &good, "no json\n", request].concat();
    let path = me.file("mixed", lines.as_bytes());
    let ran = me.run(["--json", "vouch", "import", &shown(&path)]);
    let report = ran.code(3).json();
    assert_eq!(
        (report["read"].as_u64(), report["vouches"].as_u64()),
        (Some(4), Some(1))
    );
    let refused: Vec<u64> = report["refused"]
        .as_array()
        .unwrap()
        .iter()
        .map(|refused| refused["line"].as_u64().unwrap())
        .collect();
    assert_eq!(refused, [1, 4, 5]);
    let said = ran.stderr();
    assert!(
        said.contains("line 1: the proof of this vouch does not hold"),
        "{said}"
    );
    assert!(said.contains("3 lines were refused, as listed"), "{said}");
    assert_eq!(level(&me, &did(&kim)), 2);
}

/// A file of 8 GiB of nothing was read for a minute, and what is no file may have no end.
#[test]
fn what_has_no_end_is_not_begun() {
    let me = Place::new();
    let sparse = me.file("sparse", b"");
    let file = std::fs::File::options().write(true).open(&sparse).unwrap();
    file.set_len(8 << 30).unwrap();
    let folder = sparse.parent().unwrap().to_owned();
    for path in [sparse, folder] {
        me.run(["vouch", "import", &shown(&path)])
            .refused(3, "no file of at most 64 MiB");
    }
}

/// Adversarial case G96: an agent's own records are no vouches: nobody sends in that they are trusted.
#[test]
fn nobody_sends_in_that_they_are_trusted() {
    let (me, eve) = (Place::new(), Place::new());
    meet(&eve, "Me", &me);
    eve.run(["peer", "trust", "Me"]).ok();
    let database = rusqlite::Connection::open(eve.database()).unwrap();
    let mut query = database
        .prepare("SELECT document FROM trust_record")
        .unwrap();
    let rows = query.query_map([], |row| row.get::<_, Vec<u8>>(0)).unwrap();
    let lines: Vec<Vec<u8>> = rows.map(Result::unwrap).collect();
    assert_eq!(lines.len(), 2);
    let path = me.file("own", &lines.join(&b'\n'));
    let ran = me.run(["vouch", "import", &shown(&path)]);
    ran.code(3);
    assert!(
        ran.stderr().contains("an agent's record for itself"),
        "{}",
        ran.stderr()
    );
    assert_eq!(me.json(["peer", "list"])["peers"], serde_json::json!([]));
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

#[test]
fn a_vouch_is_read_from_standard_input() {
    let (me, bea, kim) = (Place::new(), Place::new(), Place::new());
    let document = vouch(&bea, &kim, "high");
    me.run_with_input(["vouch", "import", "-"], document.as_bytes())
        .ok();
    assert_eq!(import(&me, "again", &document)["alreadyThere"], 1);
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
