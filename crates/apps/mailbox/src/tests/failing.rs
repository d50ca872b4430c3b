//! Folders in which nothing can be written (case 115): a clean error, and no part of a file.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::Arc;

use counterfoil_peer::PeerError;

use super::rig::{Echo, LONG, Rig, id, key, request};
use crate::name::Name;
use crate::{FolderResponder, MailboxError, transport};

/// The variable that names the folder to a test that runs again inside of a mount of its own.
const INSIDE: &str = "COUNTERFOIL_TEST_MOUNT";

/// Runs a test of this file again, with a small or read-only file system in a folder; false: this system does not let us.
fn inside_mount(test: &str, script: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let exe = std::env::current_exe().unwrap();
    let can = Command::new("unshare").args(["-rm", "true"]).output();
    if !can.is_ok_and(|output| output.status.success()) {
        println!("skipped: this system mounts nothing for us");
        return false;
    }
    let output = Command::new("unshare")
        .args(["-rm", "sh", "-ec", script])
        .arg(exe)
        .arg(folder.path())
        .arg(format!("tests::failing::{test}"))
        .env(INSIDE, folder.path())
        .output()
        .unwrap();
    let told = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(output.status.success(), "{told}");
    assert!(told.contains("1 passed"), "{told}");
    true
}

/// Adversarial case H115: no such folder, a file in its place, and a folder in which nothing may be made.
#[tokio::test]
async fn a_place_that_is_none_is_one_clean_error() {
    let rig = Rig::new();
    fs::write(rig.path("file"), "").unwrap();
    for path in [rig.path("nowhere"), rig.path("file"), "/proc/self".into()] {
        let error = transport(&path, None).err().unwrap();
        assert!(matches!(error, MailboxError::Folder { .. }), "{error}");
        assert!(error.to_string().contains("name a folder"), "{error}");
    }
}

/// Adversarial case H115
#[tokio::test]
async fn a_read_only_folder_is_one_clean_error() {
    if let Some(folder) = std::env::var_os(INSIDE) {
        let mut asker = transport(folder.as_ref(), None).unwrap();
        let error = asker.send(request(1).bytes()).await.unwrap_err();
        assert!(
            matches!(&error, PeerError::Failed { detail, .. } if detail.contains("Read-only")),
            "{error}"
        );
        return;
    }
    let script = "mkdir $1/inbox $1/processing $1/outbox $1/done; mount --bind $1 $1; mount -o remount,bind,ro $1; \
        exec $0 --exact $2";
    if inside_mount("a_read_only_folder_is_one_clean_error", script) {
        return;
    }
    let rig = Rig::new();
    fs::set_permissions(rig.path("inbox"), fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(rig.path("inbox").join("probe"), "").is_ok() {
        println!("skipped: this user may write everywhere, and may mount nothing");
        return;
    }
    let mut asker = transport(rig.root(), None).unwrap();
    asker.send(request(1).bytes()).await.unwrap_err();
}

/// Adversarial case H115: the disk is full when the answer is written. No part of it is left, and the request is there for another time.
#[tokio::test]
async fn a_full_disk_leaves_no_part_of_a_file() {
    if let Some(folder) = std::env::var_os(INSIDE) {
        full_disk(folder.as_ref()).await;
        return;
    }
    let script = "mount -t tmpfs -o size=64k tmpfs $1; exec $0 --exact $2";
    inside_mount("a_full_disk_leaves_no_part_of_a_file", script);
}

async fn full_disk(folder: &std::path::Path) {
    let mut asker = transport(folder, None).unwrap();
    asker.send(request(1).bytes()).await.unwrap();
    let mut filling = 0_u64;
    while fs::write(folder.join(format!("filling{filling}")), [0; 4096]).is_ok() {
        filling += 1;
    }
    let error = asker.send(request(2).bytes()).await.unwrap_err();
    assert!(
        matches!(&error, PeerError::Failed { detail, .. } if detail.contains("space")),
        "{error}"
    );
    let answers = Arc::new(Echo::default());
    let responder = FolderResponder::with(folder, answers, &key(1), LONG).unwrap();
    let error = responder.once().await.unwrap_err();
    assert!(error.to_string().contains("free the disk"), "{error}");
    assert_eq!(fs::read_dir(folder.join("outbox")).unwrap().count(), 0);
    let inbox: Vec<_> = fs::read_dir(folder.join("inbox"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(inbox, [std::ffi::OsString::from(Name::request(&id(1)))]);
    for number in 0..=filling {
        let _ = fs::remove_file(folder.join(format!("filling{number}")));
    }
    assert_eq!(responder.once().await.unwrap().answered.len(), 1);
}

/// Adversarial case H115: a folder on another device cannot be moved into: nothing is claimed, and nothing is lost.
#[tokio::test]
async fn a_move_to_another_device_is_one_clean_error() {
    if let Some(folder) = std::env::var_os(INSIDE) {
        let folder = std::path::PathBuf::from(folder);
        let mut asker = transport(&folder, None).unwrap();
        asker.send(request(1).bytes()).await.unwrap();
        let answers = Arc::new(Echo::default());
        let responder = FolderResponder::with(&folder, answers, &key(1), LONG).unwrap();
        let error = responder.once().await.unwrap_err();
        assert!(matches!(error, MailboxError::Write { .. }), "{error}");
        assert!(folder.join("inbox").join(Name::request(&id(1))).exists());
        return;
    }
    let script = "mkdir $1/processing; mount -t tmpfs tmpfs $1/processing; exec $0 --exact $2";
    inside_mount("a_move_to_another_device_is_one_clean_error", script);
}
