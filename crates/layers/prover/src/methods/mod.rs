//! One prover for each method of the specification (§5.1.2).

pub(crate) mod existence;
pub(crate) mod hash;
pub(crate) mod merkle;
pub(crate) mod none;
pub(crate) mod signature;
