//! What `validate` says of a store that is as it was written, and of one that is not.
#![cfg(test)]

use std::sync::{Arc, Mutex};

use counterfoil_capsule::{Check, Code, IndeterminateReason, Verdict};
use counterfoil_store::pool::{PoolItem, PoolReport, PoolVerdict, Validation};
use counterfoil_store::{CapsuleLog, Draft, Head};
use rusqlite::Connection;

use crate::rig::{DAY_US, Rig, agent, block_on, id, world};

/// Turns, and a World of seventy versions, so that most contents follow from deltas.
fn filled() -> Rig {
    let rig = Rig::new();
    for number in 0..5 {
        rig.remember(&format!("w-{number}"), &format!("the heron {number}"));
    }
    let mut head = rig.remember("v-100", "the stork 0");
    for number in 1..70 {
        let name = format!("v-{}", 100 + number);
        head = rig.update(&head, &name, &format!("the stork {number}"));
    }
    block_on(
        rig.store
            .append(agent(2), vec![Draft::new(world("o-1", "hers"))]),
    )
    .unwrap();
    rig
}

struct Told {
    report: PoolReport,
    bad: Vec<(u64, Verdict)>,
    /// The ends of the chains, with their first bad capsules.
    heads: Vec<(Head, Option<u64>)>,
}

fn validated(rig: &Rig, how: Validation) -> Told {
    let items = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&items);
    let each = Box::new(move |item| into.lock().unwrap().push(item));
    let report = block_on(rig.store.validate(how, each)).unwrap();
    let mut told = Told {
        report,
        bad: Vec::new(),
        heads: Vec::new(),
    };
    for item in std::mem::take(&mut *items.lock().unwrap()) {
        match item {
            PoolItem::Capsule(one) if one.verdict != Verdict::Valid => {
                told.bad.push((one.index, one.verdict));
            }
            PoolItem::Head {
                head, first_bad, ..
            } => told.heads.push((head, first_bad)),
            _ => {}
        }
    }
    told
}

fn with(each_signature: bool) -> Validation {
    Validation {
        each_signature,
        ..Validation::default()
    }
}

/// Changes the database past its triggers, and puts these back.
fn forge(rig: &Rig, sql: &str) {
    let raw = Connection::open(rig.path().join("memory.db")).unwrap();
    let triggers: Vec<(String, String)> = raw
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    for (name, _) in &triggers {
        raw.execute_batch(&format!("DROP TRIGGER \"{name}\""))
            .unwrap();
    }
    raw.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
        .unwrap();
    raw.execute_batch(sql).unwrap();
    for (_, sql) in &triggers {
        raw.execute_batch(sql).unwrap();
    }
}

const fn invalid(check: Check, code: Code) -> Verdict {
    Verdict::Invalid { check, code }
}

const fn open(reason: IndeterminateReason) -> Verdict {
    Verdict::Indeterminate { reason }
}

/// C16: a report, with the heads of all chains and what was counted.
/// (CAP-26)
#[test]
fn a_store_as_it_was_written_is_valid() {
    let rig = filled();
    for each_signature in [true, false] {
        let Told { report, bad, heads } = validated(&rig, with(each_signature));
        assert_eq!(bad, []);
        assert_eq!(report.verdict(), PoolVerdict::Valid);
        assert_eq!((report.entries, report.valid, report.chains), (76, 76, 7));
        let checked = if each_signature { 76 } else { 0 };
        assert_eq!(report.signatures, checked);
        assert_eq!(heads.len(), 7);
        let (evolving, bad) = heads.iter().find(|(head, _)| head.seq == 69).unwrap();
        assert_eq!((evolving.index, *bad), (74, None));
    }
    let empty = Rig::new();
    let report = validated(&empty, Validation::default()).report;
    assert_eq!((report.verdict(), report.entries), (PoolVerdict::Valid, 0));
}

/// Adversarial case D53: a bit flips in what is stored. It is found where it is, whether signatures are
/// checked or the log stands for them; nothing is deleted.
/// (CAP-35)
#[test]
fn what_was_changed_is_found_where_it_is() {
    for (sql, index, verdict) in [
        (
            "UPDATE body SET payload = replace(payload, 'heron', 'heroN') WHERE idx = 2",
            2,
            invalid(Check::Body, Code::State),
        ),
        (
            "UPDATE body SET salt = zeroblob(32) WHERE idx = 3",
            3,
            invalid(Check::Body, Code::State),
        ),
        (
            "UPDATE body SET delta = '[]' WHERE idx = 74",
            74,
            invalid(Check::Body, Code::DeltaHash),
        ),
        (
            "UPDATE body SET delta_salt = zeroblob(32) WHERE idx = 74",
            74,
            invalid(Check::Body, Code::DeltaHash),
        ),
        (
            "UPDATE capsule SET header = replace(header, '2026-03-01', '2026-03-02') WHERE idx = 75",
            75,
            invalid(Check::Signature, Code::Entry),
        ),
        (
            "UPDATE capsule SET header = replace(header, '{', '{ ') WHERE idx = 75",
            75,
            invalid(Check::Canonical, Code::NotCanonical),
        ),
        (
            "UPDATE capsule SET field_count = field_count + 1 WHERE idx = 4",
            4,
            invalid(Check::Signature, Code::Entry),
        ),
        (
            "UPDATE body SET payload = NULL, salt = NULL WHERE idx = 1",
            1,
            invalid(Check::Body, Code::State),
        ),
        (
            "UPDATE body SET delta = NULL, delta_salt = NULL WHERE idx = 70",
            70,
            invalid(Check::Body, Code::DeltaHash),
        ),
    ] {
        let rig = filled();
        forge(&rig, sql);
        for each_signature in [true, false] {
            let told = validated(&rig, with(each_signature));
            assert_eq!(told.report.verdict(), PoolVerdict::Invalid, "{sql}");
            let first = told.bad.first().copied();
            let (at, found) = first.unwrap();
            assert_eq!(at, index, "{sql}");
            // A signature that does not hold is told before the entry that names another header.
            let signed = invalid(Check::Signature, Code::Signature);
            assert!(found == verdict || found == signed, "{sql}: {found}");
            assert_eq!(told.report.first_bad[0].index, index, "{sql}");
            assert_eq!(told.report.entries, 76, "{sql}");
        }
    }
}

/// A changed signature is none that the log stands for: it is found when each is checked.
#[test]
fn a_changed_signature_is_found_when_each_is_checked() {
    let rig = filled();
    forge(
        &rig,
        "UPDATE capsule SET signature = zeroblob(64) WHERE idx = 5",
    );
    let told = validated(&rig, with(true));
    assert_eq!(told.bad, [(5, invalid(Check::Signature, Code::Signature))]);
    assert_eq!(
        told.heads
            .iter()
            .filter_map(|(_, first_bad)| *first_bad)
            .collect::<Vec<_>>(),
        [0]
    );
}

/// Entry and leaf are changed together: then the tree is another one than was signed, nobody stands
/// for the entries, and each signature is checked after all.
#[test]
fn where_the_checkpoint_does_not_hold_each_signature_is_checked() {
    let rig = filled();
    let root = "zeroblob(32)";
    forge(
        &rig,
        &format!("UPDATE capsule SET field_root = {root} WHERE idx = 4"),
    );
    let Some(stored) = block_on(rig.store.capsule(4)).unwrap() else {
        panic!("an entry");
    };
    let leaf = stored.entry.leaf_hash().to_hex();
    forge(
        &rig,
        &format!(
            "UPDATE log SET hashes = CAST(x'{leaf}' || substr(hashes, 33) AS BLOB) WHERE idx = 4"
        ),
    );
    let told = validated(&rig, with(false));
    assert!(told.report.log_fault.is_some());
    assert_eq!(told.report.signatures, 76);
    assert_eq!(told.bad, [(4, invalid(Check::Signature, Code::Signature))]);
}

/// Adversarial case D58: a content that was erased with a record leaves a valid header and an open state.
#[test]
fn what_was_erased_with_a_record_is_open() {
    let rig = filled();
    for world in ["w-3", "v-120"] {
        rig.erase(&id(world));
    }
    for each_signature in [true, false] {
        let told = validated(&rig, with(each_signature));
        let erased = open(IndeterminateReason::BodyErased);
        // Of the version after it only the change is gone, since it held what was there before.
        let change = open(IndeterminateReason::DeltaErased);
        assert_eq!(told.bad, [(3, erased), (25, erased), (26, change)]);
        assert_eq!(told.report.verdict(), PoolVerdict::Indeterminate);
        assert_eq!(
            told.report.open,
            [
                (IndeterminateReason::BodyErased, 2),
                (IndeterminateReason::DeltaErased, 1)
            ]
        );
        assert_eq!(told.report.redacted, 3);
        assert!(told.report.is_open_by_erasure_alone());
    }
}

/// C9: stubs keep their chains checkable; `--deep` looks into the segments, and finds one that was
/// changed (D53) or is missing.
/// (CAP-32)
#[test]
fn archives_are_open_until_they_are_looked_into() {
    let rig = filled();
    rig.wait(10 * DAY_US);
    let archived = rig.archives();
    let moved = archived.capsules;
    let deep = |each_signature| Validation {
        segments: Some(rig.archive()),
        ..with(each_signature)
    };
    for each_signature in [true, false] {
        let told = validated(&rig, with(each_signature));
        assert_eq!(told.report.indeterminate, moved);
        assert_eq!(told.report.invalid, 0);
        let told = validated(&rig, deep(each_signature));
        assert_eq!(told.bad, []);
        assert_eq!(told.report.verdict(), PoolVerdict::Valid);
        assert_eq!(told.report.valid, told.report.entries);
    }
    let stub = "UPDATE stub SET hash = zeroblob(32) WHERE seq = 3";
    let segment = rig.archive().join(&archived.name);
    let whole = std::fs::read(&segment).unwrap();
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    std::fs::write(&segment, flipped).unwrap();
    let told = validated(&rig, deep(false));
    assert_eq!(told.report.invalid, moved);
    std::fs::remove_file(&segment).unwrap();
    let told = validated(&rig, deep(false));
    assert_eq!(told.report.indeterminate, moved);
    std::fs::write(&segment, whole).unwrap();
    forge(&rig, stub);
    let told = validated(&rig, deep(false));
    assert_eq!(told.bad.len(), 1);
    assert_eq!(told.bad[0].1, invalid(Check::Signature, Code::Entry));
}

/// All findings of one capsule, in the order of the checks.
/// (C16)
#[test]
fn all_findings_are_told_if_they_are_asked_for() {
    let rig = filled();
    forge(
        &rig,
        "UPDATE capsule SET signature = zeroblob(64) WHERE idx = 2;
         UPDATE body SET payload = 'null' WHERE idx = 2",
    );
    let found = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&found);
    let how = Validation {
        all_findings: true,
        ..with(true)
    };
    let each = Box::new(move |item| {
        if let PoolItem::Capsule(told) = item
            && told.index == 2
        {
            *into.lock().unwrap() = told.findings;
        }
    });
    block_on(rig.store.validate(how, each)).unwrap();
    assert_eq!(
        *found.lock().unwrap(),
        [
            invalid(Check::Signature, Code::Signature),
            invalid(Check::Body, Code::State)
        ]
    );
}

/// C9: a stub that says another kind, one beside its capsule, and one that its receipt does not name.
#[test]
fn stubs_are_held_against_segment_and_receipt() {
    let rig = filled();
    rig.wait(10 * DAY_US);
    rig.archives();
    assert_eq!(rig.differences(), [""; 0]);
    forge(&rig, "UPDATE stub SET kind = 'tombstone' WHERE seq = 3");
    let deep = Validation {
        segments: Some(rig.archive()),
        ..Validation::default()
    };
    let told = validated(&rig, deep);
    assert_eq!(told.bad.len(), 1);
    assert_eq!(told.bad[0].1, invalid(Check::Signature, Code::Entry));

    // The last entry is the receipt.
    let last = told.report.entries - 1;
    let beside = format!(
        "INSERT INTO stub SELECT {last}, agent, chain, seq, hash, mutation, timestamp, NULL, NULL,
         {last} FROM stub WHERE seq = 3"
    );
    forge(&rig, &beside);
    let told = validated(&rig, Validation::default());
    let doubled = told.bad.iter().find(|(index, _)| *index == last);
    assert_eq!(doubled, Some(&(last, invalid(Check::State, Code::Record))));
    let said = rig.differences();
    let names_others = |line: &String| line.contains("its receipt names other entries");
    assert!(said.iter().any(names_others), "{said:?}");
}

/// C10: what no tree covers is read again as well.
#[test]
fn rows_beside_the_chains_are_held_against_their_documents() {
    let rig = filled();
    for sql in [
        "INSERT INTO fork (hash, agent, chain, seq, document, source, at)
         VALUES (zeroblob(32), 'x', zeroblob(16), 1, 'x', 'x', 1)",
        "INSERT INTO event (dedupe, at, kind, source, document)
         VALUES (zeroblob(32), 1, 'corruption', 'store', '{}')",
        "INSERT INTO held (hash, class, document, code, source, at)
         VALUES (zeroblob(32), 'pending', 'x', 'x', 'x', 1)",
    ] {
        forge(&rig, sql);
    }
    let report = block_on(rig.store.audit()).unwrap();
    let tables: Vec<&str> = report
        .differences
        .iter()
        .map(|(place, _)| place.table_name())
        .collect();
    assert_eq!(tables, ["fork", "held", "event"]);
    let aside = validated(&rig, Validation::default()).report.aside;
    assert_eq!((aside.pending, aside.quarantined), (1, 0));
}
