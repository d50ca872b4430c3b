//! An application's own prover (M-7, MR-04): pure, without store, clock or actor (M-8).
#![no_std]

mod snapshots;

pub use snapshots::Snapshots;
