//! Suite of the life cycle on this backend, and the tests that change its database or look into it by hand.

mod collect;
mod erase;
mod validate;

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use counterfoil_life_tests::{
    LifeRig, run_archives, run_checks, run_erasure, run_forks, run_receiving,
};
use counterfoil_store::StoreError;
use counterfoil_store::conformance::Setup;
use counterfoil_types::DidKey;
use tempfile::TempDir;

use crate::{Options, SqliteStore, make_content_keys, packed, reconcile};

pub(crate) const DATABASE: &str = "memory.db";

/// Stores in folders that remain until the suite ends.
pub(crate) struct Sqlite {
    folders: Mutex<Vec<TempDir>>,
    is_sealed: bool,
}

impl Sqlite {
    pub(crate) const fn new() -> Self {
        Self {
            folders: Mutex::new(Vec::new()),
            is_sealed: false,
        }
    }

    /// The same with sealed stores.
    pub(crate) const fn sealed() -> Self {
        Self {
            folders: Mutex::new(Vec::new()),
            is_sealed: true,
        }
    }

    fn options(&self, folder: &Path, setup: &Setup) -> Options {
        let signer = setup.note_signer().unwrap();
        let log = signer.verifier_key().to_string();
        let options = Options::writable(folder.join(DATABASE), signer, folder.join("guard"))
            .with_clock(setup.clock.clone())
            .with_entropy(setup.entropy.clone())
            .with_patience(Duration::from_millis(500));
        match self.is_sealed {
            true => options.sealed(
                make_content_keys(&folder.join("keys"), &log)
                    .unwrap()
                    .into(),
            ),
            false => options,
        }
    }

    /// Takes a folder, which then does not remain.
    pub(crate) fn take(&self, folder: &Path) -> TempDir {
        let mut folders = self.folders.lock().unwrap();
        let at = folders.iter().position(|it| it.path() == folder);
        folders.swap_remove(at.unwrap())
    }
}

impl LifeRig for Sqlite {
    type Store = SqliteStore;

    fn folder(&self) -> PathBuf {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let folder = folder.unwrap();
        let path = folder.path().to_owned();
        self.folders.lock().unwrap().push(folder);
        path
    }

    fn create(&self, folder: &Path, setup: &Setup) -> SqliteStore {
        SqliteStore::create(self.options(folder, setup)).unwrap()
    }

    fn open(&self, folder: &Path, setup: &Setup) -> SqliteStore {
        let store = SqliteStore::open(self.options(folder, setup)).unwrap();
        assert_eq!(store.miscounted(), None);
        store
    }

    fn copy(&self, from: &Path, to: &Path) {
        fs::copy(from.join(DATABASE), to.join(DATABASE)).unwrap();
        let keys = "keys/content-keys.db";
        if self.is_sealed && !to.join(keys).exists() {
            fs::create_dir(to.join("keys")).unwrap();
            fs::copy(from.join(keys), to.join(keys)).unwrap();
        }
    }

    fn reconcile(
        &self,
        folder: &Path,
        setup: &Setup,
        own: DidKey,
        lines: Vec<Vec<u8>>,
    ) -> Result<(Range<u64>, u64), StoreError> {
        reconcile(&self.options(folder, setup), own, lines.into_iter().map(Ok))
    }

    fn is_sealed(&self) -> bool {
        self.is_sealed
    }

    fn bytes(&self, file: &Path) -> Vec<u8> {
        let mut bytes = fs::read(file).unwrap();
        // A frame that runs over several pages is found where it begins.
        bytes.extend(packed::frames_in(&bytes).concat());
        bytes
    }
}

/// CAP-33, C10, C20, MEM-MAINT-1, MEM-MAINT-2, MEM-MAINT-3, MEM-MAINT-4, MEM-MAINT-5, MEM-MAINT-6, MEM-MAINT-7,
/// MEM-MAINT-8, MEM-MAINT-9, MEM-MAINT-10: erased content is in no file and forgotten memories are in no selection; a
/// held capsule is collected when its time is over, and no other is.
/// Adversarial cases D51, D58 and D59.
#[test]
fn the_sqlite_backend_erases_forgets_and_collects() {
    assert_eq!(run_erasure(&Sqlite::new()), []);
    assert_eq!(run_erasure(&Sqlite::sealed()), []);
}

/// CAP-31, CAP-32, C9, MEM-MAINT-7: archived capsules are in their segment and nowhere else, and come back as they were.
/// Adversarial cases D55, D56 and D58.
#[test]
fn the_sqlite_backend_archives_and_restores() {
    assert_eq!(run_archives(&Sqlite::new()), []);
    assert_eq!(run_archives(&Sqlite::sealed()), []);
}

/// CAP-28, C8, C12: two signed capsules at one place freeze their chain, are proven, and are decided about.
/// Adversarial cases C40 and C41.
#[test]
fn the_sqlite_backend_catches_and_settles_forks() {
    assert_eq!(run_forks(&Sqlite::new()), []);
    assert_eq!(run_forks(&Sqlite::sealed()), []);
}

/// CAP-27, CAP-28, C6, C11: received capsules are accepted, wait or are refused in any order, and an event blames the
/// agent that its evidence shows, and no other.
/// Adversarial cases C32, C33, C34, C35, C36, C37, D57, E61, E62, E63, E64, E65 and H121.
#[test]
fn the_sqlite_backend_judges_what_it_receives() {
    assert_eq!(run_receiving(&Sqlite::new()), []);
}

/// CAP-26, CAP-32, C16, C18: a report covers each capsule of one snapshot, and a restored backup is brought up to the
/// log that was signed last.
/// Adversarial cases C42 and D58.
#[test]
fn the_sqlite_backend_is_checked_and_reconciled() {
    assert_eq!(run_checks(&Sqlite::new()), []);
    assert_eq!(run_checks(&Sqlite::sealed()), []);
}
