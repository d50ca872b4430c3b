//! The keys of an agent over its life: what its key chain allows, and what a thief can't do.

#[cfg(test)]
mod chain;
#[cfg(test)]
mod documents;
#[cfg(test)]
mod fold;
#[cfg(test)]
mod forks;
#[cfg(test)]
mod theft;
