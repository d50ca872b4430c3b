//! `claim import`: JSON Lines and a database of mempill, twice, with bad lines, and with no more standing than the
//! import has (I4, I6).

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::place::{Place, Ran};

/// Written by mempill 0.4.0; `data/README.md` says how.
const MEMPILL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/mempill-0.4.db");

fn import(place: &Place, file: &Path, more: &[&str]) -> Ran {
    let mut args: Vec<&std::ffi::OsStr> = vec![
        "--json".as_ref(),
        "claim".as_ref(),
        "import".as_ref(),
        file.as_os_str(),
    ];
    args.extend(more.iter().map(|arg| std::ffi::OsStr::new(*arg)));
    place.run(args)
}

fn lines(place: &Place, lines: &[&str]) -> PathBuf {
    place.file("claims.jsonl", lines.join("\n").as_bytes())
}

fn status(place: &Place, subject: &str, predicate: &str) -> Value {
    place.json(["believe", subject, predicate])
}

#[test]
fn a_file_of_another_kind_is_soon_left() {
    let place = Place::new();
    let ran = import(&place, &lines(&place, &["hello"; 500]), &[]);
    ran.code(3);
    assert_eq!(ran.json()["read"], 20);
    import(&place, &lines(&place, &["", " "]), &[]).refused(3, "no claims");
}

#[test]
fn a_mempill_database_is_taken_over_and_not_touched() {
    let place = Place::new();
    let bytes = std::fs::read(MEMPILL).unwrap();
    let file = place.file("peer #1?.db", &bytes);
    let first = import(&place, &file, &[]).ok().json();
    assert_eq!(
        (first["format"].as_str(), first["read"].as_u64()),
        (Some("mempill"), Some(9))
    );
    assert_eq!(
        first["became"],
        json!({"bounded": 1, "committed": 7, "committed_inferred": 1, "contested": 1})
    );
    assert_eq!(first["notCarried"]["criticalities"], 1);
    assert_eq!(first["notCarried"]["assertions that later ones undid"], 2);
    let again = import(&place, &file, &[]).ok().json();
    assert_eq!(
        (again["written"].as_u64(), again["unchanged"].as_u64()),
        (Some(0), Some(10))
    );
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
    let beside = std::fs::read_dir(place.folder()).unwrap();
    let beside = beside.filter(|entry| {
        entry
            .as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .starts_with("peer")
    });
    assert_eq!(beside.count(), 1);
    let lives = place.json(["believe", "user", "lives_in", "--at", "2021"]);
    assert_eq!(lives["sides"][0]["value"], "Berlin");
    let lives = place.json(["believe", "user", "lives_in", "--at", "2023-04"]);
    assert_eq!(lives["sides"][0]["value"], "Munich");
    assert_eq!(status(&place, "acme", "ceo")["status"], "contested");
    assert_eq!(status(&place, "user", "works_at")["status"], "ended");
    assert_eq!(
        status(&place, "user", "member_of")["sides"][0]["value"],
        "the gym"
    );
    assert_eq!(
        status(&place, "user", "speaks")["sides"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

/// A row that no page could get past would be read for ever.
#[test]
fn a_time_of_recording_that_is_none_ends_the_import() {
    let place = Place::new();
    for time in ["zeroblob(8)", "hex(zeroblob(40000))"] {
        let file = place.file("peer.db", &std::fs::read(MEMPILL).unwrap());
        let database = rusqlite::Connection::open(&file).unwrap();
        let update = format!("PRAGMA journal_mode=DELETE; UPDATE claims SET tx_time = {time};");
        database.execute_batch(&update).unwrap();
        database.close().unwrap();
        import(&place, &file, &[]).refused(3, "a time that is none");
    }
}
