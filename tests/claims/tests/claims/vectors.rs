//! The acceptance vectors of claims, each on the oracle and on SQLite.
//!
//! They are read from `$COUNTERFOIL_VECTORS`, or from `../shared/vectors` beside the repository, and skipped when neither
//! is there. Their clock stands at noon of 2025-01-01 unless they say otherwise: vS05 and vS06 ask about an instant between
//! 2024-09-23 and the end of that day, and vB01 about one that is not before it.
//!
//! A store takes no clock before 2026 (docs/format/capsule.md). On stores all dates of a vector, and its clock, are
//! moved on by eight years, which keeps leap years what they are; the oracle is run as they stand.
//!
//! Where the note of a vector says that ours differs from what it expects, ours is held: `OURS` lists them.

mod case;
mod door;

use std::path::PathBuf;

use counterfoil_claims_tests::calendar::{Granule, Micros};
use serde_json::Value;

use crate::backend::{Backend, Host, Naive};
use crate::store::Stored;
use case::Case;

/// 2025-01-01T12:00:00Z.
const NOW: Micros = 1_735_732_800_000_000;
/// 2033-01-01T12:00:00Z.
const NOW_MOVED: Micros = 1_988_193_600_000_000;

/// How many there are.
const VECTORS: usize = 81;

/// What is to be held instead of what a vector expects: its id, the number of the operation, the expectation.
/// - vG06, vG07, vG08: a window in the future is a scheduled fact, and is accepted.
/// - vG07: it is not trusted, so the fact is undated.
/// - vS08: 0.7 is not trusted (decision 0011).
/// - vS12: a claim of a day covers its day.
/// - vU03: a read writes nothing (decision 0020).
const OURS: &[(&str, usize, &str)] = &[
    ("vG06", 0, r#"{"expect_disposition": "CommittedCheap"}"#),
    ("vG08", 0, r#"{"expect_disposition": "CommittedCheap"}"#),
    ("vS08", 1, r#"{"expect_disposition": "Contested"}"#),
    (
        "vS08",
        2,
        r#"{"expect": {"status": "Contested", "values": ["alice", "bob"]}}"#,
    ),
    (
        "vS12",
        2,
        r#"{"expect": {"status": "Resolved", "value": "alice"}}"#,
    ),
    ("vU03", 1, r#"{"expect": "nothing of the read"}"#),
];

/// A backend, and whether the dates are moved for it.
struct On {
    name: &'static str,
    dates: Dates,
    make: fn(&Host, Micros) -> Box<dyn Backend>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dates {
    AsTheyStand,
    Moved,
}

const BACKENDS: &[On] = &[
    On {
        name: "oracle",
        dates: Dates::AsTheyStand,
        make: |host, now| Box::new(Naive::new(host, now)),
    },
    On {
        name: "SQLite",
        dates: Dates::Moved,
        make: |host, now| Box::new(Stored::new(host, now)),
    },
];

fn vectors() -> Option<Vec<Value>> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/vectors");
    let folder = std::env::var_os("COUNTERFOIL_VECTORS").map_or(beside.into(), PathBuf::from);
    let path = folder.join("claims.jsonl");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!(
            "skipped: {} is not there; set COUNTERFOIL_VECTORS",
            path.display()
        );
        return None;
    };
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

/// With what we hold in place of what is expected.
fn ours(mut vector: Value) -> Value {
    for (id, operation, instead) in OURS {
        if vector["id"] == *id {
            let instead: Value = serde_json::from_str(instead).unwrap();
            for (member, value) in instead.as_object().unwrap() {
                vector["ops"][operation][member] = value.clone();
            }
        }
    }
    vector
}

/// With every date eight years later.
fn moved(value: &Value) -> Value {
    match value {
        Value::String(text) => moved_date(text).into(),
        Value::Array(items) => items.iter().map(moved).collect(),
        Value::Object(members) if members.get("op") != Some(&"parse_date".into()) => members
            .iter()
            .map(|(name, value)| (name.clone(), moved(value)))
            .collect(),
        other => other.clone(),
    }
}

fn moved_date(text: &str) -> String {
    let (before, date) = text
        .rsplit_once(' ')
        .map_or(("", text), |(before, date)| (before, date));
    let year = date.get(..4).and_then(|year| year.parse::<i64>().ok());
    match year.filter(|_| date.contains('-') && Granule::read(date).is_some()) {
        Some(year) => format!("{before} {}{}", year + 8, &date[4..])
            .trim()
            .to_owned(),
        None => text.to_owned(),
    }
}

fn run(vector: &Value) {
    let host = Host {
        has_oracle: vector["oracle"] == true,
        registered: Vec::new(),
    };
    for on in BACKENDS {
        let what = format!("{} on {}", vector["id"], on.name);
        let (now, operations) = match on.dates {
            Dates::AsTheyStand => (NOW, vector["ops"].clone()),
            Dates::Moved => (NOW_MOVED, moved(&vector["ops"])),
        };
        let fresh = || (on.make)(&host, now);
        Case::new(what, now, &fresh).run(operations.as_array().unwrap());
    }
}

/// I1-I11, CLM-10: a vector with an operation that nobody knows fails.
#[test]
fn every_vector_holds() {
    let Some(vectors) = vectors() else { return };
    assert_eq!(vectors.len(), VECTORS);
    for vector in vectors {
        run(&ours(vector));
    }
}

/// I2, CLM-5: just above the threshold the window is trusted, and what vS08 expects of 0.7 holds.
#[test]
fn a_window_is_trusted_above_seven_tenths() {
    let Some(vectors) = vectors() else { return };
    let mut vector = vectors
        .into_iter()
        .find(|vector| vector["id"] == "vS08")
        .unwrap();
    for operation in [0, 1] {
        vector["ops"][operation]["valid"]["conf"] = 0.71.into();
    }
    run(&vector);
}
