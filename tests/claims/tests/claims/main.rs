//! The claim engine on its store, held against the oracle of this package and the acceptance vectors (I1-I11).
#![cfg(test)]

mod backend;
mod clock;
mod engine;
mod laws;
mod machine;
mod order;
mod poison;
mod random;
mod script;
mod store;
mod vectors;
