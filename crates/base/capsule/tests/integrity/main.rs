//! Proofs on documents that travel between agents: the published vectors, and every way to cheat.

#[cfg(test)]
mod common;
#[cfg(test)]
mod forms;
#[cfg(test)]
mod official;
#[cfg(test)]
mod right_key;
