//! Layer 4, the read half: the memory trace that a proposal carries (specification §5.1.5, §10, M-2).
//!
//! A [`MemoryTrace`] says who searched for what, when, at which World, and what was selected. It
//! comes from JSON only, through one checked door ([`MemoryTrace::from_json`] and
//! `TryFrom<Value>`); there is no other constructor. An actor builds the JSON and parses it here,
//! so what is attached is by construction what an authority accepts.
//!
//! A trace that parses is well-formed, and no more: nothing in it has been verified.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod error;
mod merge;
mod proposal;
mod trace;

pub use counterfoil_types as types;
pub use counterfoil_types::MAX_SELECTED;
pub use error::TraceError;
pub use merge::{MAX_TRACES, Merge};
pub use proposal::{
    CHECKPOINTS_KEY, MAX_CHECKPOINTS, MAX_WITHHELD, MEMORY_KEY, TRACES_KEY, WITHHELD_KEY,
    cosigned_checkpoints, from_proposal, has_trace, traces_of, withheld,
};
pub use trace::MemoryTrace;
