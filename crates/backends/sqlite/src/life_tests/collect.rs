//! Collection beside rows that the operations of a store do not make.

use counterfoil_life::Life as _;
use counterfoil_store::collect::Fate;
use counterfoil_types::Blake3Hash;
use rusqlite::params;

use crate::rig::{DAY_US, Rig, block_on};

fn hold(rig: &Rig, number: u8, class: &str, code: &str) {
    let at_us = rig.now().micros();
    let sql =
        "INSERT INTO held (hash, capsule, class, agent, chain, seq, document, code, source, at)
         VALUES (?1, ?1, ?2, 'did:key:x', ?3, 5, '{}', ?4, 'peer', ?5)";
    let row = params![[number; 32], class, [number; 16], code, at_us];
    rig.raw().execute(sql, row).unwrap();
}

/// Evidence against a key stays, however old it is: a contradiction needs it.
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

/// Adversarial case D52, the database's part: not even SQL deletes an accepted capsule, or one that is
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
