//! A store that was being made when the power went can be made again, or is there (reliability F8, R5).

use counterfoil_sqlite::SqliteStore;

use crate::judge::{Bench, Judge, Said, Then};
use crate::platter::{Image, Loss, Platter};
use crate::power::losses;
use crate::scenario::{SHORT, options};
use crate::watch::{Operation, Watched};

/// All that a creation does, from an empty folder with one for the keys.
fn creation() -> (Platter, Vec<Operation>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("keys")).unwrap();
    let before = Platter::holding(&Image::read(folder.path()));
    let watched = Watched::record(folder.path(), before.inodes());
    drop(SqliteStore::create(options(folder.path())).unwrap());
    (before, watched.take())
}

/// What is wrong with what is found after the operation of that number.
fn found(platter: &Platter, loss: Loss, judge: &Judge, bench: &Bench) -> Vec<String> {
    let made = Bench::new();
    platter.after(loss).write(made.path());
    let there = SqliteStore::open(options(made.path()))
        .or_else(|_| SqliteStore::create(options(made.path())));
    match there {
        Ok(store) => {
            drop(store);
            judge.verdict(bench, &Image::read(made.path()), &Said::default())
        }
        Err(error) => vec![error.to_string()],
    }
}

#[test]
fn a_creation_that_was_cut_off_is_made_again_or_is_whole() {
    let (mut platter, operations) = creation();
    let (judge, bench) = (Judge::of(SHORT, Then::GoOn), Bench::new());
    let (mut cuts, mut faults) = (0, Vec::new());
    for (number, operation) in operations.iter().enumerate() {
        platter.do_one(operation);
        for loss in losses(number, operation, 1) {
            let named = |fault| format!("after operation {number}, {loss:?} lost: {fault}");
            faults.extend(found(&platter, loss, &judge, &bench).into_iter().map(named));
            cuts += 1;
        }
    }
    println!(
        "creation: {} operations, {cuts} cuts, {} faults",
        operations.len(),
        faults.len()
    );
    assert!(faults.is_empty(), "{:#?}", &faults[..faults.len().min(5)]);
}
