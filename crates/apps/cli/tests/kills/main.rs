//! `kill -9` from outside, at any moment, on the real program (reliability R2; capsules C18).
//!
//! `COUNTERFOIL_KILLS` says how many (`cargo xtask bench kills N`), `COUNTERFOIL_SEED` repeats the
//! moments of an earlier run as far as the machine lets them be repeated.
#![cfg(unix)]

#[cfg(test)]
mod act;
#[cfg(test)]
mod checks;
#[cfg(test)]
mod claims;
#[cfg(test)]
mod follow;
#[cfg(test)]
mod kills;
#[cfg(test)]
mod store;
