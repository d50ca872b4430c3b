//! Erasure beside rows and readers that the operations of a store do not make.

use counterfoil_store::MemoryStore;

use crate::rig::{Rig, block_on, id};

/// Fills the database, so that erased content lies in pages that were split and merged.
fn filled() -> Rig {
    let rig = Rig::new();
    for number in 0..40 {
        let text = format!("an ordinary sentence {number}");
        rig.remember(&format!("w-{number}"), &text);
    }
    rig
}

/// A held document that names the erased capsule is named in the certificate.
#[test]
fn what_is_held_is_taken_or_named() {
    let rig = filled();
    let placed = rig.remember("w-50", "the passphrase is Zanzibarine");
    let junk = format!("{{\"previous\":\"{}\",\"Zanzibarine\":1}}", placed.capsule);
    rig.raw()
        .execute(
            "INSERT INTO held (hash, class, document, code, source, at)
             VALUES (zeroblob(32), 'quarantine', ?1, 'E_STRUCTURE', 'somebody', 0)",
            [junk],
        )
        .unwrap();
    let certificate = rig.erase(&id("w-50"));
    let [held] = certificate.held.as_slice() else {
        panic!("{certificate:?}")
    };
    assert_eq!(held.1, "quarantine");
    let other = rig.erase(&id("w-3"));
    assert_eq!(other.held, []);
}

/// While another process reads, old bytes may be left: the certificate says so, and the same call
/// makes up for it later.
#[test]
fn what_a_reader_keeps_is_told_and_made_up_for() {
    let rig = filled();
    rig.remember("w-50", "the passphrase is Zanzibarine");
    let reader = rig.raw();
    reader
        .execute_batch("BEGIN; SELECT count(*) FROM body;")
        .unwrap();
    let certificate = rig.erase(&id("w-50"));
    assert!(certificate.not_scrubbed.is_some());
    assert_eq!(block_on(rig.store.get(&id("w-50"))).unwrap(), None);
    assert!(
        !rig.holding("zanzibarin").is_empty(),
        "the reader still sees it"
    );
    drop(reader);
    let again = rig.erase(&id("w-50"));
    assert_eq!(again.not_scrubbed, None);
    assert_eq!(rig.holding("zanzibarin"), [""; 0]);
    rig.is_sound();
}
