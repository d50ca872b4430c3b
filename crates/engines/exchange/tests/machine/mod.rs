//! The states of an exchange and of a memory in it: total, durable, and late or forged answers change nothing (§9).

mod answers;
mod clocks;
mod items;
mod laws;
mod rig;
