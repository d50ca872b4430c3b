//! A verification method's package (MR-04): pure, without store, clock or actor (M-8).
#![no_std]

mod method;

pub use method::Known;
