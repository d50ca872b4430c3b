//! The write path of claims, for backends: the gate inside of the backend's write transaction (I5, I6, I9;
//! docs/format/claims.md 4).
//!
//! A backend brings a [`ClaimTxn`], lets [`judge_all`] decide, and hands what was [`JudgedDrafts`] to
//! [`Appender::append_judged`](crate::append::Appender::append_judged), which writes it at the instant of the [`JudgeBase`] and
//! holds it to what was foretold. There is no other way for a claim into the log: `append` refuses drafts of claims.

mod judge;
mod mint;
mod recorded;
mod txn;

pub use judge::{JudgeBase, JudgedDrafts, judge_all};
pub use mint::random_world_id;
pub use recorded::unit_in;
pub use txn::ClaimTxn;
