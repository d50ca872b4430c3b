//! Appends and submissions of several callers in one transaction (I5, I9).

use std::sync::atomic::Ordering;

use counterfoil_claims::{
    Channels, ClaimError, ClaimOutcome, Disposition, FactValue, Identifier, Settings, Submission,
};
use counterfoil_store::{AppendReport, ClaimRequest, Draft, StoreError};

use super::tests::{Answer, append, inside, job};
use super::{Committer, Job};
use crate::rig::{agent, assert_refused, world};
use crate::statement::Statements;

type Appending = Answer<Vec<AppendReport>>;
type Submitting = Answer<Vec<Result<ClaimOutcome, ClaimError>>>;

fn submit(number: u8, towns: &[&str]) -> (Box<dyn Job>, Submitting) {
    let named = |text| Identifier::new("name", text).unwrap();
    let user = Channels::of_host().user();
    let claim = |town: &&str| {
        let value = FactValue::new(&(*town).into()).unwrap();
        let submission = Submission::new(&user, named("Ada"), named("lives in"), value);
        ClaimRequest::Submit(submission)
    };
    let requests: Vec<_> = towns.iter().map(claim).collect();
    job(move |unit, _| unit.submit(&*agent(number), &Settings::default(), &requests))
}

/// Disposition and log index of each.
fn told(mut answer: Submitting) -> Vec<(Disposition, Option<u64>)> {
    let outcomes = answer.try_recv().unwrap().unwrap().0.into_iter();
    let outcomes = outcomes.map(Result::unwrap);
    let told = outcomes.map(|it| (it.disposition, it.written.map(|(_, index, _)| index)));
    told.collect()
}

fn index(mut answer: Appending) -> Result<u64, StoreError> {
    answer
        .try_recv()
        .unwrap()
        .map(|(places, _)| places[0].index)
}

/// What waits together is one transaction; each sees what those before it have written, and of its own agent alone.
#[test]
fn submissions_and_appends_share_a_transaction() {
    let (_folder, mut inside) = inside();
    let (first, first_place) = append("first", "one");
    let (lisbon, lisbon_told) = submit(1, &["Lisbon", "Lisbon"]);
    let (other, other_told) = submit(2, &["Faro"]);
    let (second, second_place) = append("second", "two");
    let (porto, porto_told) = submit(1, &["Porto"]);
    inside.commit(vec![first, lisbon, other, second, porto]);
    assert_eq!(inside.commits.load(Ordering::Relaxed), 1);
    assert_eq!(index(first_place).unwrap(), 0);
    assert_eq!(
        told(lisbon_told),
        [
            (Disposition::Committed, Some(1)),
            (Disposition::Corroborated, None)
        ]
    );
    assert_eq!(told(other_told), [(Disposition::Committed, Some(2))]);
    assert_eq!(index(second_place).unwrap(), 3);
    assert_eq!(told(porto_told), [(Disposition::Contested, Some(4))]);
}

/// A request that fails takes nothing with it; after a commit that was refused the same submissions can be made again.
#[test]
fn a_request_that_fails_does_not_touch_submissions() {
    let (_folder, mut inside) = inside();
    let (first, _place) = append("first", "one");
    inside.commit(vec![first]);
    let (lisbon, lisbon_told) = submit(1, &["Lisbon"]);
    let (conflict, conflict_place) = append("first", "another text");
    let (porto, porto_told) = submit(1, &["Porto"]);
    inside.commit(vec![lisbon, conflict, porto]);
    assert_eq!(told(lisbon_told), [(Disposition::Committed, Some(1))]);
    assert_refused!(index(conflict_place), StoreError::WorldConflict { .. });
    assert_eq!(told(porto_told), [(Disposition::Contested, Some(2))]);

    inside.connection.commit_hook(Some(|| true)).unwrap();
    let (faro, mut faro_told) = submit(1, &["Faro"]);
    inside.commit(vec![faro]);
    assert!(faro_told.try_recv().unwrap().is_err());
    inside.connection.commit_hook(None::<fn() -> bool>).unwrap();
    let (faro, faro_told) = submit(1, &["Faro"]);
    inside.commit(vec![faro]);
    assert_eq!(told(faro_told), [(Disposition::Contested, Some(3))]);
}

/// Rows beside the log share the transaction, and a refused job takes its own rows and words with it alone.
#[test]
fn jobs_of_all_kinds_share_a_transaction() {
    let (_folder, mut inside) = inside();
    let keep = |number: u8, refused: bool| {
        job(move |unit, connection| {
            connection.run(
                "INSERT INTO claim_heard (claim, first, last, times) VALUES (?1, 0, 0, 1)",
                [[number; 32]],
            )?;
            let text = if refused { "refused" } else { "words" };
            let drafts = [Draft::new(world(&format!("w-{number}"), text))];
            unit.append(&*agent(1), &drafts)?;
            match refused {
                true => Err(StoreError::IsClaim {
                    chain: unit.append(&*agent(1), &drafts)?[0].chain,
                }),
                false => Ok(()),
            }
        })
    };
    let (first, mut first_told) = keep(0, false);
    let (refused, mut refused_told) = keep(1, true);
    let (last, mut last_told) = keep(2, false);
    inside.commit(vec![first, refused, last]);
    assert_eq!(inside.commits.load(Ordering::Relaxed), 1);
    for told in [&mut first_told, &mut last_told] {
        assert_eq!(
            told.try_recv().unwrap().unwrap(),
            ((), 2),
            "size of the log"
        );
    }
    let refused = refused_told.try_recv().unwrap();
    assert_refused!(refused, StoreError::IsClaim { .. });
    let rows: Vec<[u8; 32]> = inside
        .connection
        .list("SELECT claim FROM claim_heard ORDER BY claim", [])
        .unwrap();
    assert_eq!(rows, [[0; 32], [2; 32]]);
    let with = |word: &str| -> Vec<u64> {
        let sql = "SELECT rowid FROM text_index WHERE text_index MATCH ?1";
        inside.connection.list(sql, [word]).unwrap()
    };
    assert_eq!([with("word"), with("refus")], [vec![0, 1], vec![]]);
}

/// Rows beside the log are refused as well where the guard does not fit the database.
#[test]
fn rows_beside_the_log_compare_the_guard() {
    let (folder, mut inside) = inside();
    let beside = |inside: &mut Committer| {
        let (beside, mut told) = job(|_, _| Ok(()));
        inside.commit(vec![beside]);
        told.try_recv().unwrap()
    };
    let (first, _place) = append("first", "one");
    inside.commit(vec![first]);
    assert_eq!(beside(&mut inside).unwrap(), ((), 1));
    std::fs::remove_file(folder.path().join("keys/guard")).unwrap();
    inside.head_state.known = None;
    assert_refused!(beside(&mut inside), StoreError::GuardMismatch { .. });
}

/// Jobs that run alone need not be repeatable.
#[test]
fn a_single_job_is_performed_once() {
    let (_folder, mut inside) = inside();
    let mut drafts = 0;
    let (single, mut told) = job(move |_, _| {
        drafts += 1;
        Err::<(), _>(StoreError::TooManyDrafts { drafts, limit: 0 })
    });
    inside.commit(vec![single]);
    let told = told.try_recv().unwrap();
    assert_refused!(told, StoreError::TooManyDrafts { drafts: 1, .. });
}
