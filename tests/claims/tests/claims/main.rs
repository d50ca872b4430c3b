//! The claim engine on every backend, held against the oracle of this package and the acceptance vectors (I1-I11).

#[cfg(test)]
mod backend;
#[cfg(test)]
mod clock;
#[cfg(test)]
mod durable;
#[cfg(test)]
mod engine;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod machine;
#[cfg(test)]
mod poison;
#[cfg(test)]
mod pure;
#[cfg(test)]
mod random;
#[cfg(test)]
mod script;
#[cfg(test)]
mod store;
#[cfg(test)]
mod vectors;
