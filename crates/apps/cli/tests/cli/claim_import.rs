//! `claim import`: JSON Lines and a database of mempill, twice, with bad lines, and with no more standing than the
//! import has (I4, I6).

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::place::{Place, Ran};

/// Written by mempill 0.4.0; `data/README.md` says how.
const MEMPILL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/mempill-0.4.db");

const LINES: [&str; 4] = [
    r#"{"subject":"Ada","predicate":"lives_in","value":"Porto","from":"2021-03"}"#,
    r#"{"subject":"Ada","predicate":"speaks","value":"Dutch","cardinality":"many"}"#,
    r#"{"subject":"Ada","predicate":"speaks","value":"French","cardinality":"many","channel":"first-hand"}"#,
    r#"{"subject":"Ada","predicate":"age","value":30,"channel":"model","key":"k-1"}"#,
];

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

/// I6: the second time there is nothing new, also of a claim that was ended in between.
#[test]
fn a_second_import_writes_nothing() {
    let place = Place::new();
    let file = lines(&place, &LINES);
    let first = import(&place, &file, &[]).ok().json();
    assert_eq!(
        (first["read"].as_u64(), first["written"].as_u64()),
        (Some(4), Some(4))
    );
    assert_eq!(
        first["became"],
        json!({"committed": 3, "committed_inferred": 1})
    );
    place
        .run(["claim", "end", "Ada", "lives_in", "--at", "2022"])
        .ok();
    let size = place.size();
    let second = import(&place, &file, &[]).ok().json();
    assert_eq!(
        (second["written"].as_u64(), second["unchanged"].as_u64()),
        (Some(0), Some(4))
    );
    assert_eq!(place.size(), size);
}

#[test]
fn bad_lines_are_told_by_number_and_the_others_are_judged() {
    let place = Place::new();
    let bad = [
        "nope",
        "[1]",
        r#"{"subject":"Ada","predicate":"p"}"#,
        r#"{"subject":"","predicate":"p","value":1}"#,
        r#"{"subject":"Ada","predicate":"p","value":1,"form":"2020"}"#,
        r#"{"subject":"Ada","predicate":"p","value":1,"from":"soon"}"#,
        r#"{"subject":"Ada","predicate":"p","value":1,"from":"2021","until":"2020"}"#,
        r#"{"subject":"Ada","predicate":"p","value":1,"validConfidence":1}"#,
        r#"{"subject":"Ada","predicate":"p","value":1,"from":"2020","validConfidence":2}"#,
        r#"{"subject":"Ada","predicate":"p","value":1,"cardinality":"two"}"#,
        r#"{"subject":"Ada","predicate":"p","value":1,"channel":"god"}"#,
        r#"{"subject":"Ada","predicate":"p","value":1,"source":"world-that-is-not-there"}"#,
        r#"{"subject":"Ada","predicate":"p","value":1,"value":2}"#,
        r#"{"subject":"Ada","predicate":"p","value":"\u0000"}"#,
    ];
    let all: Vec<&str> = LINES[..1]
        .iter()
        .chain(&bad)
        .chain(&LINES[1..])
        .copied()
        .collect();
    let ran = import(&place, &lines(&place, &all), &[]);
    ran.code(3);
    let summary = ran.json();
    assert_eq!(summary["written"], 4);
    let mut numbers: Vec<u64> = summary["refused"]
        .as_array()
        .unwrap()
        .iter()
        .map(|refused| refused["line"].as_u64().unwrap())
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (2..16).collect::<Vec<u64>>(), "{summary}");
}

#[test]
fn a_file_of_another_kind_is_soon_left() {
    let place = Place::new();
    let ran = import(&place, &lines(&place, &["hello"; 500]), &[]);
    ran.code(3);
    assert_eq!(ran.json()["read"], 20);
    import(&place, &lines(&place, &["", " "]), &[]).refused(3, "no claims");
}

/// I4, CLM-8: what a file says of its own standing counts for no more than what the import may say.
#[test]
fn a_file_has_no_more_standing_than_its_import() {
    let place = Place::new();
    let file = lines(&place, &[LINES[0], LINES[2]]);
    let ran = import(&place, &file, &["--channel", "model"]);
    ran.code(3);
    let summary = ran.json();
    assert_eq!(summary["became"], json!({"committed_inferred": 1}));
    assert_eq!(summary["refused"][0]["line"], 2);
    let summary = place.json(["claim", "import", MEMPILL, "--channel", "model"]);
    let lowered = summary["notCarried"]["provenances, lowered to --channel"].as_u64();
    assert_eq!(lowered, Some(8));
    assert_eq!(status(&place, "user", "lives_in")["support"], "inferred");
}

/// A name that is almost one in use is hinted at, and stays what it is.
#[test]
fn a_predicate_that_looks_like_one_in_use_is_hinted_at() {
    let place = Place::new();
    import(&place, &lines(&place, &LINES), &[]).ok();
    let other = [r#"{"subject":"Bob","predicate":"lives in","value":"Ghent"}"#];
    let summary = import(&place, &lines(&place, &other), &[]).ok().json();
    assert_eq!(
        summary["hints"],
        json!([{"predicate": "lives in", "inUse": "lives_in"}])
    );
    assert_eq!(
        status(&place, "Bob", "lives in")["status"],
        "timing_uncertain"
    );
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

#[test]
fn a_database_that_is_none_of_mempill_is_refused() {
    let place = Place::new();
    let other = place.file("other.db", b"SQLite format 3\0 and then nothing");
    import(&place, &other, &[]).refused(3, "mempill");
    let own = place.dir().join("memory.db");
    let copy = place.folder().join("copy.db");
    std::fs::copy(own, &copy).unwrap();
    import(&place, &copy, &[]).refused(3, "mempill");
    let file = place.file("peer.db", &std::fs::read(MEMPILL).unwrap());
    import(&place, &file, &["--from-agent", "bob"]).refused(3, "--from-agent");
    std::fs::write(place.folder().join("peer.db-wal"), b"x").unwrap();
    import(&place, &file, &[]).refused(3, "in use");
    import(&place, &lines(&place, &LINES), &["--from-agent", "ada"]).refused(3, "--from-agent");
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
