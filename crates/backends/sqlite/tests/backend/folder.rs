//! A folder that cannot be written: reading works, writing says why not.
#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::{CapsuleLog, StoreError};

use crate::common::{Place, append, assert_refused, block_on, drafts, is_clean, signer};

/// Set for the child process alone, which looks at this folder and does nothing else.
const FOLDER: &str = "COUNTERFOIL_TEST_FOLDER";
/// `nobody`, whom permissions stop.
const NOBODY: u32 = 65_534;

#[test]
fn a_store_in_a_read_only_folder_is_read_and_not_written() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return look(folder.as_ref());
    }
    let place = Place::new();
    append(&place.create(), drafts("w", 3)).unwrap();
    fs::set_permissions(place.database(), Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(place.folder.path(), Permissions::from_mode(0o555)).unwrap();
    if fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0) {
        // Permissions do not stop root, so a child that is not root looks.
        let status = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "folder::a_store_in_a_read_only_folder_is_read_and_not_written",
            ])
            .env(FOLDER, place.folder.path())
            .uid(NOBODY)
            .gid(NOBODY)
            .status();
        match status {
            Ok(status) => assert!(status.success(), "{status}"),
            Err(error) => eprintln!("skipped: the test cannot be run as nobody: {error}"),
        }
    } else {
        look(place.folder.path());
    }
    fs::set_permissions(place.folder.path(), Permissions::from_mode(0o755)).unwrap();
}

fn look(folder: &Path) {
    let new = Options::writable(folder.join("new.db"), signer(), folder.join("guard"));
    let opened = Place::open_in(folder);
    for refused in [opened, SqliteStore::create(new)] {
        assert_refused!(refused, StoreError::ReadOnly { .. });
    }
    let store = SqliteStore::open(Options::read_only(folder.join("memory.db"))).unwrap();
    assert_eq!(block_on(store.size()).unwrap(), 3);
    is_clean(&store);
}
