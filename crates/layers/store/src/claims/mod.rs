//! The write path of claims, for backends: the gate inside of the backend's write transaction (I5, I6, I9;
//! docs/format/claims.md 4).
//!
//! A backend brings a [`ClaimLedger`], lets [`judge_all`] decide, and hands what was [`Judged`] to
//! [`Appender::append_judged`](crate::append::Appender::append_judged), which writes it at the instant of the [`Base`] and
//! holds it to what was foretold. There is no other way for a claim into the log: `append` refuses drafts of claims.

mod judge;
mod ledger;
mod mint;
mod recorded;

pub use judge::{Base, Judged, judge_all};
pub use ledger::ClaimLedger;
pub use mint::random_world_id;
pub use recorded::unit_in;
