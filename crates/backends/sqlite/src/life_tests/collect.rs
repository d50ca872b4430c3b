//! Collection takes what was never accepted, after its time, and nothing else.

use counterfoil_life::Life as _;
use counterfoil_store::collect::{Fate, HeldCapsule};
use counterfoil_types::Blake3Hash;
use rusqlite::params;

use crate::rig::{DAY_US, Rig, block_on};
use crate::statement::Statements;

fn hold(rig: &Rig, number: u8, class: &str, code: &str) {
    let at_us = rig.now().micros();
    let sql =
        "INSERT INTO held (hash, capsule, class, agent, chain, seq, document, code, source, at)
         VALUES (?1, ?1, ?2, 'did:key:x', ?3, 5, '{}', ?4, 'peer', ?5)";
    let row = params![[number; 32], class, [number; 16], code, at_us];
    rig.raw().execute(sql, row).unwrap();
}

/// Number of capsules with a fate.
fn with(fates: &[(HeldCapsule, Fate)], fate: Fate) -> usize {
    fates.iter().filter(|(_, it)| *it == fate).count()
}

fn collect(rig: &Rig) -> usize {
    with(&block_on(rig.store.collect(0)).unwrap(), Fate::Collect)
}

fn held(rig: &Rig) -> u64 {
    rig.count("SELECT count(*) FROM held")
}

/// Adversarial case D51. A parent, a key, a version or a time that is missing is no reason to go;
/// only the time that was waited is.
/// (CAP-33, C10)
#[test]
fn what_waits_is_not_collected_before_its_time() {
    let rig = Rig::new();
    let codes = [
        "missing_parent",
        "missing_key",
        "unknown_version",
        "future_timestamp",
    ];
    for (number, code) in (1..).zip(codes) {
        hold(&rig, number, "pending", code);
    }
    for days in [0, 7, 22, 7] {
        rig.wait(days * DAY_US);
        assert_eq!(
            (collect(&rig), held(&rig)),
            (0, 4),
            "after {days} more days"
        );
    }
    rig.wait(2 * DAY_US);
    assert_eq!((collect(&rig), held(&rig)), (4, 0), "after 38 days");
}

/// What is refused for good goes after its grace, leaves its hash and the reason, and a dry run
/// says so without doing it.
/// (CAP-33)
#[test]
fn what_is_refused_leaves_its_hash_and_the_reason() {
    let rig = Rig::new();
    rig.remember("w-1", "accepted");
    hold(&rig, 1, "quarantine", "E_SIGNATURE");
    assert_eq!(collect(&rig), 0, "in its grace");
    rig.wait(8 * DAY_US);
    let planned = block_on(rig.store.plan_collection(0)).unwrap();
    assert_eq!((with(&planned, Fate::Collect), held(&rig)), (1, 1));
    let none = block_on(rig.store.collect(20 * DAY_US)).unwrap();
    assert_eq!(none.len(), 1);
    assert_eq!(none[0].1, Fate::Grace, "older ones only");
    assert_eq!((collect(&rig), held(&rig)), (1, 0));
    let trace = "SELECT count(*) FROM collected WHERE hash = ?1 AND code = 'E_SIGNATURE'";
    let trace: u64 = rig.raw().get(trace, [[1_u8; 32]]).unwrap();
    assert_eq!(trace, 1);
    rig.is_sound();
}

/// What accuses a key stays, however old it is: a contradiction needs it.
#[test]
fn evidence_is_not_collected() {
    let rig = Rig::new();
    for number in [1, 2] {
        hold(&rig, number, "quarantine", "E_CHRONOLOGY");
    }
    let named = Blake3Hash::from_bytes([1; 32]);
    let other = Blake3Hash::from_bytes([2; 32]);
    for (hash, attributable) in [(named, true), (other, false)] {
        let document =
            serde_json::json!({ "attributable": attributable, "evidence": [hash.to_string()] });
        let sql = "INSERT INTO event (dedupe, at, kind, source, document)
             VALUES (?1, 1, 'chronology', 'peer', ?2)";
        let row = params![hash.as_bytes(), document.to_string()];
        rig.raw().execute(sql, row).unwrap();
    }
    rig.wait(400 * DAY_US);
    let collected = block_on(rig.store.collect(0)).unwrap();
    let fates = collected.iter().map(|(it, fate)| (it.hash, *fate));
    let expected = [([1; 32], Fate::Referenced), ([2; 32], Fate::Collect)];
    assert_eq!(fates.collect::<Vec<_>>(), expected);
}

/// Adversarial case D52, the database's part: not even SQL deletes what was accepted, or what is
/// held without a trace.
#[test]
fn the_database_deletes_nothing_that_was_accepted() {
    let rig = Rig::new();
    rig.remember("w-1", "accepted");
    hold(&rig, 1, "quarantine", "E_SIGNATURE");
    for table in ["capsule", "body", "log", "held"] {
        let deleted = rig.raw().execute(&format!("DELETE FROM {table}"), []);
        assert!(deleted.is_err(), "{table}");
    }
}
