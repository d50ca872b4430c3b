//! The log: an RFC 6962 tree over the entries, its proofs, its signed checkpoints and its tiles.

mod frontier;
mod note_signer;
mod proofs;
mod tiles;

pub use frontier::Frontier;
pub use note_signer::NoteSigner;
pub use proofs::{NodeReader, consistency, inclusion, root, row_of};
pub use tiles::{Put, ReadEntry, Tile, export, write_below};
