//! Broken twins: what must be found when the backend, or the disk, does not keep its word.

use std::sync::Arc;

use crate::power::{Recording, cut_everywhere};
use crate::scenario::SHORT;
use crate::watch::{Inode, Operation};

/// The faults that are found in the recording once it was `spoilt`.
fn found(spoil: impl FnOnce(&mut Vec<Operation>, &dyn Fn(&str) -> Inode)) -> Vec<String> {
    let mut recording = Recording::of(SHORT);
    let mut names = recording.before.inodes();
    for operation in &recording.operations {
        if let Operation::Create { name, inode } = operation {
            names.entry(name.clone()).or_insert(*inode);
        }
    }
    spoil(&mut recording.operations, &|name| names[name]);
    cut_everywhere(&recording, 1).faults
}

/// Some fault says each of these.
#[track_caller]
fn among(faults: &[String], all: &[&str]) {
    let says = |what: &str| faults.iter().any(|fault| fault.contains(what));
    assert!(all.iter().all(|what| says(what)), "{faults:#?}");
}

/// A disk that says "synced" and is not.
#[test]
fn a_disk_that_lies_about_syncs_is_found_out() {
    let faults = found(|operations, _| {
        operations.retain(|operation| !matches!(operation, Operation::Sync(_)));
    });
    among(&faults, &["is not kept"]);
}

/// `synchronous=NORMAL` leaves the write-ahead log unsynced at a commit.
#[test]
fn a_write_ahead_log_that_is_not_synced_at_a_commit_is_found_out() {
    let faults = found(|operations, inode| {
        let log = inode("memory.db-wal");
        operations.retain(|operation| *operation != Operation::Sync(log));
    });
    // The guard is ahead.
    among(&faults, &["is not kept", "has signed"]);
}

/// The guard before the commit instead of after it. The first one that binds a map is longer than that of the empty log, and
/// replaces the file; the second is written in place.
#[test]
fn a_guard_that_is_written_before_the_commit_is_found_out() {
    let faults = found(|operations, inode| {
        let log = inode("memory.db-wal");
        let of_log = |operation: &Operation| matches!(operation, Operation::Write { inode: it, .. } if *it == log);
        let of_guard = |operation: &Operation| matches!(operation, Operation::Write { bytes, .. } if bytes.starts_with(b"faults.example"));
        let after = |from: usize, is: &dyn Fn(&Operation) -> bool| {
            from + operations[from..].iter().position(is).unwrap()
        };
        let commit = after(after(0, &of_guard), &of_log);
        let guard = after(commit, &of_guard);
        let guard = operations.remove(guard);
        operations.insert(commit, guard);
    });
    among(&faults, &["has signed"]);
}

#[test]
fn an_answer_before_the_commit_is_found_out() {
    let faults = found(|operations, _| {
        let answered = operations
            .iter()
            .position(|operation| *operation == Operation::Mark(0));
        let answer = operations.remove(answered.unwrap());
        operations.insert(0, answer);
    });
    among(&faults, &["is not kept"]);
}

/// A disk that damages one sector of what it has synced.
#[test]
fn a_sector_that_was_synced_and_is_not_there_is_found_out() {
    let faults = found(|operations, inode| {
        let last = operations
            .iter_mut()
            .rev()
            .find_map(|operation| match operation {
                Operation::Write {
                    inode: it, bytes, ..
                } if *it == inode("memory.db") => Some(bytes),
                _ => None,
            });
        let bytes = last.unwrap();
        let mut damaged = bytes.to_vec();
        // Rows stand at the end of a page.
        let end = damaged.len() - 512..;
        damaged[end].iter_mut().for_each(|byte| *byte ^= 0xff);
        *bytes = Arc::from(damaged);
    });
    assert!(!faults.is_empty());
}
