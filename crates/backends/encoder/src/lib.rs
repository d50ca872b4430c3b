//! Sentence encoders: a text becomes a vector that the store searches by ([`counterfoil_store::vectors`], MR-03).
//!
//! - [`FolderEncoder`] runs the weights of a folder in the layout that sentence models are published in. It downloads nothing.
//!
//! Architecture Invariant: what is not known is refused. A member of a configuration that would change the vectors is read, or
//! the folder is not opened; a vector that is nearly right would spoil recall without a sign.
//!
//! A folder is foreign input: every size has a limit, nothing is allocated by a number that the file's length does not cover,
//! and no content of a file leads to a panic.

mod config;
mod error;
mod folder;
mod kernel;
mod model;
mod tokenizer;
mod weights;

pub use error::EncoderError;
pub use folder::FolderEncoder;
