//! A small prover for the tests: logs, witnesses, Worlds with field trees, and cases built of them.

mod case;
mod keys;
pub(crate) mod tree;
mod world;

pub(crate) use case::{Case, merkle_data};
pub(crate) use keys::{Log, Witness, agent, sign};
pub(crate) use tree::{consistency, inclusion};
pub(crate) use world::TestWorld;
