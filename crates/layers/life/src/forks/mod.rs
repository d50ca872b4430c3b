//! Forks: two capsules of one agent for one place of a chain (capsules 4.5, C8). Both are kept, the
//! chain takes no more from there on, and a resolution says which branch goes on.

mod branches;
mod contested;
mod continuing;
mod deriving;
mod erasing;
pub(crate) mod read;

pub use branches::Fork;
pub use contested::contested;
pub use continuing::ResolveReport;

pub(crate) use branches::{
    Branch, abandoned, at, branch, chains, frozen_at, insert, is_settled, known, of_chain,
    settled_branch,
};
pub(crate) use continuing::{keep_whole, to_continue};
pub(crate) use deriving::derive;
pub(crate) use erasing::{keep_header, take_bodies};
