//! Reading costs no sync, and shows nothing that a loss of power takes back (reliability R4).

use crate::judge::{self, Bench};
use crate::platter::{Loss, Platter};
use crate::power::Recording;
use crate::scenario::{CLAIMS, SHORT, User, database, founded, recall};
use crate::watch::{Operation, Watched};

const fn is_sync(operation: &Operation) -> bool {
    matches!(operation, Operation::Sync(_) | Operation::SyncFolder(_))
}

/// A store with claims, after its processes have ended.
fn told() -> Platter {
    let recording = Recording::of(&CLAIMS[..1]);
    let mut platter = recording.before;
    for operation in &recording.operations {
        platter.do_one(operation);
    }
    platter
}

/// A read opens the database once, and writes and syncs nothing.
#[test]
fn a_recall_opens_the_database_once_and_writes_nothing() {
    let bench = judge::folder();
    let told = told();
    told.after(Loss::Nothing).write(bench.path());
    let watched = Watched::record(bench.path(), told.inodes());
    for openings in 1..=2 {
        recall(bench.path()).unwrap();
        assert_eq!(watched.openings("memory.db"), openings);
        let operations = watched.take();
        let changes = |operation: &Operation| {
            is_sync(operation) || matches!(operation, Operation::Write { .. })
        };
        assert!(!operations.iter().any(changes), "{operations:?}");
    }
    let mut user = User::new(bench.path());
    user.store().unwrap();
    user.close();
    assert!(!database(bench.path()).with_extension("db-wal").exists());
}

/// A process is killed before each of its syncs, a reader shows how long the log is, and the power is cut.
#[test]
fn what_a_reader_has_seen_is_there_after_a_loss_of_power() {
    let recording = Recording::of(SHORT);
    let mut platter = Platter::holding(&founded());
    let bench = Bench::new();
    for (number, operation) in recording.operations.iter().enumerate() {
        if matches!(operation, Operation::Sync(_)) {
            let mut after = platter.clone();
            let folder = judge::folder();
            after.after(Loss::Nothing).write(folder.path());
            let watched = Watched::record(folder.path(), after.inodes());
            let seen = recall(folder.path()).unwrap();
            for operation in &watched.take() {
                after.do_one(operation);
            }
            after.after(Loss::Everything).write(bench.path());
            let found = recall(bench.path()).unwrap();
            assert!(
                found >= seen,
                "{seen} entries were seen before operation {number}, {found} are there"
            );
        }
        platter.do_one(operation);
    }
}
