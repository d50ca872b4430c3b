//! An exchange between two agents: its states, its checks, and both ends of it under one virtual clock.

#[cfg(test)]
mod checks;
#[cfg(test)]
mod machine;
#[cfg(test)]
mod pair;
#[cfg(test)]
mod support;
