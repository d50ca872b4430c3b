//! The write path of claims, for backends: the gate inside of the backend's write transaction (I5, I6, I9;
//! docs/format/claims.md 4).
//!
//! A backend brings a [`ClaimTxn`], lets [`JudgedDrafts::judge_all`] decide, and hands the drafts to
//! [`Frontier::append_judged`](crate::log::Frontier::append_judged), which writes them at the instant of the decision and
//! compares their places with those that were foretold. There is no other way for a claim into the log: `append` refuses drafts of claims.

mod judge;
mod mint;
mod recorded;
mod txn;

pub use judge::JudgedDrafts;
pub use mint::random_world_id;
pub use recorded::unit_in;
pub use txn::ClaimTxn;
