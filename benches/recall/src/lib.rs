//! Measures recall: how often the evidence of a question is found, and how long finding takes.
//!
//! Everything goes through the real store and selector, proofs included. Turns and questions come
//! from the labelled set of this package, and from one that is read in place; nothing of that one is printed or kept.

pub mod cached;
pub mod calibration;
pub mod copies;
pub mod corpus;
pub mod held_out;
pub mod labelled;
pub mod latency;
pub mod locomo;
pub mod plain;
pub mod quality;
pub mod report;
pub mod rig;
pub mod vectors;
