//! What every backend has to hold: run this against your own before you trust it with a memory.
//!
//! Implement [`Factory`], call [`run_all`] under the executor of your choice (or [`block_on`]), and expect no
//! failure. Each case opens stores of its own. For a backend that keeps claims, call [`run_claims`] as
//! well, and [`run_exchange`] for one that keeps exchanges.
//!
//! `cargo run -p counterfoil --example own_backend` does so for a store in one vector.

#[macro_use]
mod support;

mod appending;
mod chains;
mod claims;
mod exchange;
mod model;
mod proving;
mod reading;
mod receiving;
mod records;
mod setup;
mod trigrams;
mod versions;
mod wait;

pub use claims::run_claims;
pub use exchange::run_exchange;
pub use setup::{Setup, seeded_entropy};
pub use trigrams::TrigramEncoder;
pub use wait::block_on;

use std::error::Error;
use std::future::Future;
use std::pin::Pin;

use counterfoil_types::WorldId;

use crate::{CapsuleLog, MemoryStore};

/// Opens stores of the backend that is examined.
pub trait Factory: Send + Sync {
    /// The backend.
    type Store: MemoryStore + CapsuleLog;

    /// A new, empty store that draws on `setup` and on nothing else.
    fn open(&self, setup: &Setup) -> Self::Store;

    /// A store whose medium fails: every call of it must be an error.
    fn broken(&self, setup: &Setup) -> Self::Store;

    /// The store as another process finds it that begins after this one ended. One that keeps nothing beyond its process
    /// gives itself back.
    fn reopen(&self, _setup: &Setup, store: Self::Store) -> Self::Store {
        store
    }

    /// Erases the content of a claim of agent 1, and returns whether it did; a backend that cannot erase returns `false`.
    fn erase(&self, _setup: &Setup, _store: &Self::Store, _claim: &WorldId) -> bool {
        false
    }
}

/// Name of a case that a backend does not hold, and the finding that differs.
pub type Failure = (&'static str, String);

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;
type Case<'f> = (&'static str, Pin<Box<dyn Future<Output = Outcome> + 'f>>);

/// Lists cases by the file that holds them: the name of each, and the function that checks it.
macro_rules! cases {
    ($factory:expr; $($module:ident { $($case:literal: $check:ident $(($argument:expr))?,)* })*) => {
        vec![$($(($case, Box::pin($module::$check($factory $(, $argument)?))),)*)*]
    };
}
use cases;

/// Runs every case and returns those that fail: none for a backend that conforms.
pub async fn run_all<F: Factory>(factory: &F) -> Vec<Failure> {
    run(cases!(factory;
        reading {
            "an unknown WorldId is none": unknown,
            "an empty log has no checkpoint": empty,
            "a World comes back as it was appended": round_trip,
            "a WorldId is opaque": opaque_ids,
            "capsules stand at their index": by_index,
            "a failure is an error and never an empty result": failure,
        }
        appending {
            "appends are answered in order": in_order,
            "an append can be repeated": repeated,
            "a WorldId keeps its first content": conflict,
            "an append is whole or absent": whole,
            "one append may hold a WorldId twice": twice,
            "an append has a limit": limit,
            "appends may come at once": at_once,
            "one of many at once may fail": one_fails,
        }
        chains {
            "a chain grows at its head": grows,
            "a head that moved is a conflict": moved,
            "another agent does not extend a chain": foreign,
            "one of two at the same head loses": race,
            "times strictly increase while the clock steps back": time,
            "nothing is recorded at an implausible time": implausible,
        }
        versions {
            "two hundred versions read back as they were written": many,
            "any walk of updates and rollbacks reads like a plain list of states": walk,
            "the sealed delta is the one that was given": given,
            "a state is brought back byte for byte": back,
            "a change that no delta holds is kept whole": large,
            "another agent derives and does not extend": derived,
            "one of eight updates of one version wins": race,
            "a change that does not fit changes nothing": unfit,
        }
        records {
            "a record stands in the log and is no World": record,
            "after a rotation only the new key signs": rotation,
            "a key chain is extended by what fits it alone": unfit,
        }
        receiving {
            "what comes from another store is the same there and here": round,
            "what does not follow its chain is not taken in": refused,
            "a capsule without its content is taken in as erased": erased,
        }
        proving {
            "receipts verify offline at every size": receipts,
            "all sizes are consistent with each other": consistency,
            "every entry is included in every size": inclusion,
            "receipts carry consistency from the floor": floor,
            "what lies outside the log is out of range": out_of_range,
            "how memories stand is proven under the newest checkpoint": standings,
        }
    ))
    .await
}

async fn run(cases: Vec<Case<'_>>) -> Vec<Failure> {
    let mut failures = Vec::new();
    for (case, outcome) in cases {
        if let Err(error) = outcome.await {
            failures.push((case, error.to_string()));
        }
    }
    failures
}
