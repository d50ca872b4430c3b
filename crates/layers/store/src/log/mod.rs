//! The log: an RFC 6962 tree over the entries, its proofs, its signed checkpoints and its tiles.

#[cfg(test)]
mod fake;
mod frontier;
mod note_signer;
mod proofs;
mod tile;
mod tiles;

pub use frontier::Frontier;
pub use note_signer::NoteSigner;
pub use proofs::{NodeReader, NodeRow, consistency, inclusion, root};
pub use tile::Tile;
pub use tiles::{EntryReader, Put, export, write_below};
