//! What a backend that keeps exchanges has to hold: one case for each promise of [`ExchangeStore`] (R4, R6, R7).

mod answers;
mod items;
mod racing;
mod records;
mod restarting;
mod rig;
mod rows;
mod seen;

use super::{Case, Factory, Failure, Setup, run};
use crate::ExchangeStore;

/// Closes a store and opens it again.
pub trait Reopens: Factory<Store: ExchangeStore> {
    /// The store as another process finds it that begins after this one ended. One that keeps nothing beyond its process
    /// gives itself back.
    fn reopen(&self, setup: &Setup, store: Self::Store) -> Self::Store;
}

/// Runs every case of exchanges and returns those that fail: none for a backend that conforms. It is no part of
/// [`run_all`](super::run_all), since not every backend keeps exchanges.
pub async fn run_exchange<F: Reopens>(factory: &F) -> Vec<Failure> {
    let mut cases: Vec<Case<'_>> = records::cases(factory);
    cases.extend(rows::cases(factory));
    cases.extend(answers::cases(factory));
    cases.extend(items::cases(factory));
    cases.extend(seen::cases(factory));
    cases.extend(racing::cases(factory));
    cases.extend(restarting::cases(factory));
    run(cases).await
}
