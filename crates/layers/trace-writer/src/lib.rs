//! Layer 4, the write half: the trace of a selection, and its attachment to a proposal (specification §10.2, M-2).
//!
//! Everything is built as JSON and read through the door of `counterfoil_trace`, so what is attached is by construction
//! what an authority accepts. For Actors alone (§9.1); `counterfoil-actor` calls it for them.
#![no_std]

extern crate alloc;

mod write;

pub use counterfoil_trace::{MemoryTrace, TraceError, from_proposal, has_trace, traces_of};
pub use write::{attach_all, attach_to_proposal, attached, create};
