//! A store that was being made when the power went can be made again, or is there (reliability F8, R5).

use std::collections::BTreeSet;

use counterfoil_sqlite::SqliteStore;

use crate::judge::{self, Bench, Judge, Said, Then};
use crate::platter::{Image, Platter};
use crate::power::losses;
use crate::scenario::{SHORT, options};
use crate::watch::{Operation, Watched};

/// All that a creation does, from an empty folder with one for the keys.
fn creation() -> (Platter, Vec<Operation>) {
    let folder = judge::folder();
    std::fs::create_dir(folder.path().join("keys")).unwrap();
    let before = Platter::holding(&Image::read(folder.path()));
    let watched = Watched::record(folder.path(), before.inodes());
    drop(SqliteStore::create(options(folder.path())).unwrap());
    (before, watched.take())
}

/// What is wrong with that image, once a store was opened or made there.
fn found(image: &Image, made: &Bench, judge: &Judge, bench: &Bench) -> Vec<String> {
    image.write(made.path());
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
    let (judge, made, bench) = (Judge::of(SHORT, Then::GoOn), Bench::new(), Bench::new());
    let (mut cuts, mut faults, mut seen) = (0, Vec::new(), BTreeSet::new());
    for (number, operation) in operations.iter().enumerate() {
        platter.do_one(operation);
        for loss in losses(number, operation, 1) {
            let named = |fault| format!("after operation {number}, {loss:?} lost: {fault}");
            cuts += 1;
            let image = platter.after(loss);
            if seen.insert(image.digest("")) {
                let found = found(&image, &made, &judge, &bench);
                faults.extend(found.into_iter().map(named));
            }
        }
    }
    println!(
        "creation: {} operations, {cuts} cuts, {} faults",
        operations.len(),
        faults.len()
    );
    assert!(faults.is_empty(), "{:#?}", &faults[..faults.len().min(5)]);
}
