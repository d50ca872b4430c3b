//! Every attack of `proof.md` §7 that a verifier must refuse, a test each, by the exact refusal.
//! Each test first shows that the untouched proof passes.

#[cfg(test)]
mod anchor;
#[cfg(test)]
mod binding;
#[cfg(test)]
mod disclosure;
#[cfg(test)]
mod inclusion;
#[cfg(test)]
mod opened;
#[cfg(test)]
mod purity;
#[cfg(test)]
mod rollback;
#[cfg(test)]
mod shape;
#[cfg(test)]
#[path = "../support/mod.rs"]
mod support;
#[cfg(test)]
mod witnesses;
