//! What a backend that keeps claims has to hold: one case for each promise of [`ClaimStore`] (I1-I11).

mod beliefs;
mod foreign;
mod guarding;
mod ledger;
mod listing;
mod racing;
mod reviewing;
mod rig;
mod serving;
mod verdicts;
mod writing;

use super::{Case, Factory, Failure, run};
use crate::ClaimStore;

/// Runs every case of claims and returns those that fail: none for a backend that conforms. It is no part of
/// [`run_all`](super::run_all), since not every backend keeps claims.
pub async fn run_claims<F: Factory<Store: ClaimStore>>(factory: &F) -> Vec<Failure> {
    let mut cases: Vec<Case<'_>> = writing::cases(factory);
    cases.extend(guarding::cases(factory));
    cases.extend(beliefs::cases(factory));
    cases.extend(reviewing::cases(factory));
    cases.extend(listing::cases(factory));
    cases.extend(serving::cases(factory));
    cases.extend(ledger::cases(factory));
    cases.extend(verdicts::cases(factory));
    cases.extend(foreign::cases(factory));
    cases.extend(racing::cases(factory));
    run(cases).await
}
