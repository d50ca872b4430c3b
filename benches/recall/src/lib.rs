//! Measures recall: how often the evidence of a question is found, and how long finding takes.
//!
//! Everything goes through the real store and selector, proofs included. Questions and turns come
//! from a data set that is read in place; nothing of it is printed or kept.

pub mod latency;
pub mod locomo;
pub mod metrics;
pub mod plain;
pub mod quality;
pub mod report;
pub mod rig;
