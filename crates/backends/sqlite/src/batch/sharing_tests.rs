//! Appends and submissions of several callers in one transaction (I5, I9).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use counterfoil_claims::{
    Channels, ClaimError, ClaimOutcome, Disposition, FactValue, Identifier, Settings, Submission,
};
use counterfoil_store::{AppendReport, ClaimRequest, StoreError};
use tokio::sync::oneshot::{Receiver, channel};

use super::tests::{append, inside};
use super::{Request, Wants};
use crate::rig::{agent, assert_refused};

type Appending = Receiver<Result<Vec<AppendReport>, StoreError>>;
type Submitting = Receiver<Result<Vec<Result<ClaimOutcome, ClaimError>>, StoreError>>;

fn submit(number: u8, towns: &[&str]) -> (Request, Submitting) {
    let named = |text| Identifier::new("name", text).unwrap();
    let user = Channels::of_host().user();
    let claim = |town: &&str| {
        let value = FactValue::new(&(*town).into()).unwrap();
        let submission = Submission::new(&user, named("Ada"), named("lives in"), value);
        ClaimRequest::Submit(submission)
    };
    let (reply, answer) = channel();
    let wants = Wants::Submit {
        settings: Arc::new(Settings::default()),
        requests: towns.iter().map(claim).collect(),
        reply,
    };
    let signer = agent(number);
    (Request { signer, wants }, answer)
}

/// Disposition and log index of each.
fn told(mut answer: Submitting) -> Vec<(Disposition, Option<u64>)> {
    let outcomes = answer.try_recv().unwrap().unwrap().into_iter();
    let outcomes = outcomes.map(Result::unwrap);
    let told = outcomes.map(|it| (it.disposition, it.written.map(|(_, index, _)| index)));
    told.collect()
}

fn index(mut answer: Appending) -> Result<u64, StoreError> {
    answer.try_recv().unwrap().map(|places| places[0].index)
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
