//! Suite of the life cycle: erasure, archives, forks, received capsules, checks, repair of a backup. For every backend.
//!
//! Implement [`LifeRig`], call [`run_erasure`], [`run_archives`], [`run_forks`], [`run_receiving`] and [`run_checks`],
//! and expect no failure. Each case creates stores of its own. The suite of `counterfoil_store` comes first.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a case fails by a panic, which the suite turns into a failure"
)]

mod archive;
#[doc(hidden)]
pub mod author;
mod bounds;
mod collect;
mod derived;
mod erase;
mod events;
mod feed;
mod forget;
mod forks;
mod order;
mod reconcile;
mod segments;
mod snapshot;
mod strangers;
mod suite;
#[doc(hidden)]
pub mod support;
mod travelling;
#[doc(hidden)]
pub mod validate;
mod verdicts;

pub use suite::{LifeRig, run_archives, run_checks, run_erasure, run_forks, run_receiving};
