//! A restored backup is brought up to what was signed last, exactly (capsules 4.5 (3), C18, C42).

use std::fs;

use counterfoil_sqlite::reconcile;
use counterfoil_store::{CapsuleLog, Draft, StoreError};

use crate::author::{Author, created, export, import, texts};
use crate::common::{Place, agent, block_on, is_clean, world};

struct Restored {
    place: Place,
    lines: Vec<String>,
    checkpoint: String,
}

/// Five entries, a backup of them, three more, and the backup put back.
fn restored() -> Restored {
    let (place, store) = created(1);
    let draft = |id: &str| Draft::new(world(id, id));
    let append = |store: &counterfoil_sqlite::SqliteStore, id: &str| {
        block_on(store.append(agent(3), vec![draft(id)])).unwrap();
    };
    for id in ["a", "b", "c", "d", "e"] {
        append(&store, id);
    }
    drop(store);
    let database = place.folder.path().join("memory.db");
    let backup = fs::read(&database).unwrap();
    let store = place.open();
    append(&store, "f");
    import(&store, &texts(&Author::new(9).chain("theirs", 2)));
    append(&store, "g");
    let lines = export(&store);
    let checkpoint = block_on(store.checkpoint()).unwrap().unwrap();
    drop(store);
    fs::write(&database, backup).unwrap();
    Restored {
        place,
        lines,
        checkpoint,
    }
}

fn run(place: &Place, lines: &[String]) -> Result<(u64, u64), StoreError> {
    let lines = lines.iter().map(|line| Ok(line.clone().into_bytes()));
    let (added, _) = reconcile(&place.options(), agent(3).agent(), lines)?;
    Ok((added.start, added.end))
}

/// Adversarial case C42
#[test]
fn a_backup_gets_its_tail_back_and_is_written_again() {
    let Restored {
        place,
        lines,
        checkpoint,
    } = restored();
    let store = place.open();
    assert!(store.guard_mismatch().is_some());
    let refused = block_on(store.append(agent(3), vec![Draft::new(world("z", "z"))]));
    assert!(matches!(refused, Err(StoreError::GuardMismatch { .. })));
    drop(store);
    assert_eq!(run(&place, &lines).unwrap(), (5, 9));
    let store = place.open();
    assert!(store.guard_mismatch().is_none());
    assert_eq!(block_on(store.checkpoint()).unwrap().unwrap(), checkpoint);
    assert_eq!(export(&store), lines);
    is_clean(&store);
    block_on(store.append(agent(3), vec![Draft::new(world("z", "z"))])).unwrap();
    drop(store);
    assert_eq!(
        run(&place, &lines).unwrap(),
        (10, 10),
        "there is nothing left to do"
    );
}

#[test]
fn what_does_not_lead_to_the_signed_root_changes_nothing() {
    let Restored { place, lines, .. } = restored();
    let foreign = {
        let other = Place::numbered(2);
        let store = other.create();
        import(&store, &texts(&Author::new(8).chain("x", 12)));
        export(&store)
    };
    let mut swapped = lines.clone();
    swapped.swap(5, 8);
    let mut altered = lines.clone();
    altered[8] = altered[8].replace("\"text\":\"g\"", "\"text\":\"h\"");
    for wrong in [
        &lines[..7],
        &lines[..0],
        &foreign,
        &swapped,
        &altered,
        &lines[1..],
    ] {
        let refused = run(&place, wrong);
        assert!(
            matches!(refused, Err(StoreError::Reconcile { .. })),
            "{refused:?}"
        );
        let store = place.open();
        assert_eq!(block_on(store.size()).unwrap(), 5);
        assert!(store.guard_mismatch().is_some());
    }
}
