//! The memory request protocol: pure, without IO, clock or randomness (MRP; R1-R22; docs/format/exchange.md).
//!
//! Agents ask each other for memories. [`documents`] reads and writes what they send, [`checks`] judges an answer,
//! [`trust`] says how far an agent is trusted, [`machine`] holds what state an exchange is in, [`answering`] decides
//! whether a request is heard, and [`conversation`] reads and writes the same in plain text.
#![no_std]

extern crate alloc;

pub mod answering;
pub mod checks;
pub mod conversation;
pub mod documents;
pub mod machine;
pub mod trust;

mod stop_words;
