//! Content opens with the key of its own slot and log alone, and with none once that is destroyed (docs/format/sealing.md).

use std::fs;
use std::path::Path;

use counterfoil_life::sealing::{ContentKey, ContentKeys, open, seal};
use counterfoil_sqlite::{content_keys, make_content_keys};
use counterfoil_store::StoreError;

use crate::common::assert_refused;

const WORDS: &[u8] = b"the words of a memory";

/// Folder, keys of a log in it, and content that is sealed for `entry/7`.
fn sealed() -> (tempfile::TempDir, Box<dyn ContentKeys>, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let keys = make_content_keys(&folder.path().join("keys"), "a log").unwrap();
    let sealed = seal(&*keys, "entry/7", WORDS).unwrap().unwrap();
    keys.sync().unwrap();
    (folder, keys, sealed)
}

fn again(folder: &Path) -> Box<dyn ContentKeys> {
    content_keys(&folder.join("keys"), "a log").unwrap()
}

fn is_in_files(folder: &Path, bytes: &[u8]) -> bool {
    let files = fs::read_dir(folder.join("keys")).unwrap();
    let mut texts = files.map(|file| fs::read(file.unwrap().path()).unwrap());
    texts.any(|text| text.windows(bytes.len()).any(|window| window == bytes))
}

#[test]
fn content_opens_at_its_own_place_alone() {
    let (folder, keys, sealed) = sealed();
    assert_eq!(
        open(&*again(folder.path()), "entry/7", &sealed)
            .unwrap()
            .unwrap(),
        WORDS
    );
    let missing = open(&*keys, "entry/8", &sealed);
    assert!(missing.unwrap_err().to_string().contains("key is missing"));
    seal(&*keys, "entry/8", WORDS).unwrap();
    let changed = [&[sealed[0] ^ 1], &sealed[1..]].concat();
    // The same key under another name is that of another log, or of another slot.
    for (slot, bytes) in [
        ("entry/8", &sealed),
        ("entry/7", &changed),
        ("entry/7", &Vec::new()),
    ] {
        assert_refused!(open(&*keys, slot, bytes), StoreError::Sealed { .. });
    }
    for (log, slot) in [("another log", "entry/7"), ("a log", "entry/9")] {
        let copy = folder.path().join(format!("{log}{slot}").replace('/', ""));
        fs::create_dir(&copy).unwrap();
        drop(make_content_keys(&copy, log).unwrap());
        let Ok(Some(ContentKey::Present(key))) = keys.key("entry/7") else {
            panic!()
        };
        let raw = rusqlite::Connection::open(copy.join("content-keys.db")).unwrap();
        raw.execute("INSERT INTO content_key VALUES (?1, ?2)", (slot, *key))
            .unwrap();
        drop(raw);
        let other = content_keys(&copy, log).unwrap();
        assert_refused!(open(&*other, slot, &sealed), StoreError::Sealed { .. });
    }
}

/// A key is destroyed with those below it, for good, and no byte of it is left in the files.
#[test]
fn a_destroyed_key_is_gone_and_not_made_again() {
    let (folder, keys, sealed) = sealed();
    let key = |slot: &str| keys.key(slot).unwrap();
    for slot in ["entry/7/delta", "entry/70", "entry/8"] {
        keys.make(slot).unwrap();
    }
    let bytes = |slot: &str| match keys.make(slot).unwrap() {
        ContentKey::Present(key) => *key,
        ContentKey::Destroyed => panic!("{slot}"),
    };
    // So many that pages are split: those hold old bytes beyond their cells.
    let below: Vec<_> = (0..500)
        .map(|n| format!("entry/7/{}", n * 7919 % 500))
        .collect();
    let gone: Vec<_> = below
        .iter()
        .map(|slot| bytes(slot))
        .chain([bytes("entry/7")])
        .collect();
    keys.sync().unwrap();
    assert!(gone.iter().all(|key| is_in_files(folder.path(), key)));
    let slots = ["entry/7", "entry/9"].map(str::to_owned);
    keys.destroy(&slots).unwrap();
    assert!(!gone.iter().any(|key| is_in_files(folder.path(), key)));
    keys.destroy(&slots).unwrap();
    for slot in ["entry/7", "entry/7/delta", "entry/9"] {
        assert!(matches!(key(slot), Some(ContentKey::Destroyed)), "{slot}");
        assert!(seal(&*keys, slot, WORDS).unwrap().is_none(), "{slot}");
    }
    for slot in ["entry/70", "entry/8"] {
        assert!(matches!(key(slot), Some(ContentKey::Present(_))), "{slot}");
    }
    assert!(
        open(&*again(folder.path()), "entry/7", &sealed)
            .unwrap()
            .is_none()
    );
}

/// While another process reads the file, a key is destroyed but its old bytes are there: the next destruction removes them.
#[test]
fn a_destruction_that_was_interrupted_is_finished_by_the_next() {
    let (folder, keys, _) = sealed();
    let Some(ContentKey::Present(bytes)) = keys.key("entry/7").unwrap() else {
        panic!()
    };
    let raw = rusqlite::Connection::open(folder.path().join("keys/content-keys.db")).unwrap();
    raw.execute_batch("BEGIN; SELECT * FROM content_key")
        .unwrap();
    let refused = keys.destroy(&["entry/7".to_owned()]);
    assert_refused!(refused, StoreError::Locked { .. });
    assert!(matches!(
        keys.key("entry/7").unwrap(),
        Some(ContentKey::Destroyed)
    ));
    drop(raw);
    keys.destroy(&[]).unwrap();
    assert!(!is_in_files(folder.path(), &*bytes));
}

#[test]
fn keys_of_another_log_and_foreign_files_are_refused() {
    let (folder, keys, _) = sealed();
    let place = folder.path().join("keys");
    #[cfg(unix)]
    for (path, mode) in [
        (place.clone(), 0o40_700),
        (place.join("content-keys.db"), 0o100_600),
    ] {
        let found =
            std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).unwrap().permissions());
        assert_eq!(found, mode);
    }
    assert_refused!(
        make_content_keys(&place, "b log").map(drop),
        StoreError::Sealed { .. }
    );
    assert_refused!(
        content_keys(folder.path(), "a log").map(drop),
        StoreError::Sealed { .. }
    );
    drop(keys);
    let raw = rusqlite::Connection::open(place.join("content-keys.db")).unwrap();
    raw.execute_batch("CREATE TRIGGER t AFTER UPDATE ON content_key BEGIN SELECT 1; END")
        .unwrap();
    assert_refused!(
        content_keys(&place, "a log").map(drop),
        StoreError::Sealed { .. }
    );
}
