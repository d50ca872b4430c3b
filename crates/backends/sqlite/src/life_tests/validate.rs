//! The report of `check` on a damaged store: altered bytes, lost rows, wrong counts.
#![cfg(test)]

use counterfoil_capsule::{Check, Code, Verdict};
use counterfoil_life::Life as _;
use counterfoil_life_tests::validate::{fill, validated, with};
use counterfoil_store::pool::{PoolVerdict, Validation};
use counterfoil_store::{CapsuleLog, StoreError};
use counterfoil_types::Sha256Hash;

use crate::rig::{DAY_US, Rig, block_on};

fn filled() -> Rig {
    let rig = Rig::new();
    fill(&rig);
    rig
}

const fn invalid(check: Check, code: Code) -> Verdict {
    Verdict::Invalid { check, code }
}

/// Adversarial case D53: a stored bit flips. It is found where it is, whether signatures are
/// checked or vouched for by the log; nothing is deleted.
/// (CAP-35)
#[test]
fn what_was_changed_is_found_where_it_is() {
    // A signature that does not hold is told before the entry that names another header.
    let signed = invalid(Check::Signature, Code::Signature);
    let cases: [(_, &[(u64, &str)]); 4] = [
        (
            invalid(Check::Body, Code::State),
            &[
                (1, "body SET payload = NULL, salt = NULL"),
                (2, "body SET payload = upper(payload)"),
                (3, "body SET salt = zeroblob(32)"),
            ],
        ),
        (
            invalid(Check::Body, Code::DeltaHash),
            &[
                (70, "body SET delta = NULL, delta_salt = NULL"),
                (74, "body SET delta = '[]'"),
                (74, "body SET delta_salt = zeroblob(32)"),
            ],
        ),
        (
            invalid(Check::Signature, Code::Entry),
            &[
                (4, "capsule SET field_count = field_count + 1"),
                (75, "capsule SET header = replace(header, '-11-', '-12-')"),
            ],
        ),
        (
            invalid(Check::Canonical, Code::NotCanonical),
            &[(75, "capsule SET header = replace(header, '{', '{ ')")],
        ),
    ];
    for (verdict, changes) in cases {
        for (index, sql) in changes {
            let rig = filled();
            rig.tamper(&format!("UPDATE {sql} WHERE idx = {index}"));
            for each_signature in [true, false] {
                let told = validated(&rig, with(each_signature));
                assert_eq!(told.report.verdict(), PoolVerdict::Invalid, "{sql}");
                let (at, found) = told.bad[0];
                assert_eq!(at, *index, "{sql}");
                assert!(found == verdict || found == signed, "{sql}: {found}");
                assert_eq!(told.report.first_bad[0].index, *index, "{sql}");
                assert_eq!(told.report.entries, 76, "{sql}");
            }
        }
    }
}

/// Nothing is read over a delta that was changed, and it is named; what does not follow from it is read.
#[test]
fn a_delta_that_was_changed_is_named_and_nothing_is_read_over_it() {
    let rig = filled();
    rig.tamper(
        "UPDATE body SET delta = '[{\"old\":7,\"op\":\"remove\",\"path\":\"/x\"}]' WHERE idx = 72",
    );
    let refused = block_on(rig.store.capsule(73)).unwrap_err();
    assert!(
        matches!(refused, StoreError::Withheld { .. }),
        "{refused:?}"
    );
    assert!(block_on(rig.store.capsule(71)).unwrap().is_some());
    assert_ne!(rig.differences(), [""; 0]);
}

/// A changed signature is none that the log vouches for: it is found when each is checked.
#[test]
fn a_changed_signature_is_found_when_each_is_checked() {
    let rig = filled();
    rig.tamper("UPDATE capsule SET signature = zeroblob(64) WHERE idx = 5");
    let told = validated(&rig, with(true));
    assert_eq!(told.bad, [(5, invalid(Check::Signature, Code::Signature))]);
    let heads = told.heads.iter().filter_map(|(_, first_bad)| *first_bad);
    assert_eq!(heads.collect::<Vec<_>>(), [0]);
}

/// Entry and leaf are changed together: then the tree is another one than was signed, no signature holds
/// for the entries, and each signature is checked after all.
#[test]
fn where_the_checkpoint_does_not_hold_each_signature_is_checked() {
    let rig = filled();
    let mut stored = block_on(rig.store.capsule(4)).unwrap().unwrap();
    rig.tamper("UPDATE capsule SET field_root = zeroblob(32) WHERE idx = 4");
    stored.entry.field_root = Sha256Hash::from_bytes([0; 32]);
    let leaf = stored.entry.leaf_hash().to_hex();
    rig.tamper(&format!(
        "UPDATE log SET hashes = CAST(x'{leaf}' || substr(hashes, 33) AS BLOB) WHERE idx = 4"
    ));
    let told = validated(&rig, with(false));
    assert!(told.report.log_fault.is_some());
    assert_eq!(told.report.signatures, 76);
    assert_eq!(told.bad, [(4, invalid(Check::Signature, Code::Signature))]);
}

/// All findings of one capsule, in the order of the checks.
/// (C16)
#[test]
fn all_findings_are_told_if_they_are_asked_for() {
    let rig = filled();
    rig.tamper(
        "UPDATE capsule SET signature = zeroblob(64) WHERE idx = 2;
         UPDATE body SET payload = 'null' WHERE idx = 2",
    );
    let how = Validation {
        all_findings: true,
        ..with(true)
    };
    let signature = invalid(Check::Signature, Code::Signature);
    let told = validated(&rig, how);
    assert_eq!(
        told.findings,
        [[signature, invalid(Check::Body, Code::State)]]
    );
}

/// C9: a stub that says another kind, one beside its capsule, and one that its receipt does not name.
#[test]
fn stubs_are_held_against_segment_and_receipt() {
    let rig = filled();
    rig.wait(10 * DAY_US);
    rig.archives();
    assert_eq!(rig.differences(), [""; 0]);
    for column in ["kind = 'tombstone'", "hash = zeroblob(32)"] {
        rig.tamper(&format!("UPDATE stub SET {column} WHERE seq = 3"));
        let deep = Validation {
            segments: Some(rig.archive()),
            ..Validation::default()
        };
        let found = validated(&rig, deep).bad;
        assert_eq!(found.len(), 1, "{column}");
        assert_eq!(found[0].1, invalid(Check::Signature, Code::Entry));
    }
    // The last entry is the receipt.
    let told = validated(&rig, Validation::default());
    let last = told.report.entries - 1;
    let beside = format!(
        "INSERT INTO stub SELECT {last}, agent, chain, seq, hash, mutation, timestamp, NULL, NULL,
         {last}, NULL FROM stub WHERE seq = 3"
    );
    rig.tamper(&beside);
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
        rig.tamper(sql);
    }
    let report = block_on(rig.store.audit()).unwrap();
    let tables: Vec<&str> = report
        .differences
        .iter()
        .map(|(place, _)| place.table_name())
        .collect();
    assert_eq!(tables, ["fork", "held", "fork", "event"]);
    let aside = validated(&rig, Validation::default()).report.aside;
    assert_eq!((aside.pending, aside.quarantined), (1, 0));
}
