//! Answering: who is told what, once, in time, and nothing beside (R3, R4, R14, R15, R22).
#![expect(clippy::unwrap_used, reason = "a test stops at a surprise")]

mod claims;
mod equal;
mod heard;
mod limits;
mod pages;
mod shared;
mod support;
mod testimony;
