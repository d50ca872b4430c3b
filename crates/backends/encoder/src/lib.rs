//! Sentence encoders: a text becomes a vector that the store searches by ([`counterfoil_store::vectors`], MR-03), and
//! cross-encoders: a question and a text become a score ([`counterfoil_store::Reranker`]).
//!
//! - [`FolderEncoder`] and [`FolderReranker`] run the weights of a folder in the layout that such models are published in. They download nothing.
//! - `HttpEncoder`, with the feature `endpoint`, asks an endpoint that speaks the protocol of OpenAI.
//!
//! Architecture Invariant: what is not known is refused. A member of a configuration that would change the vectors is read, or
//! the folder is not opened; a vector or a score that is nearly right would spoil recall without a sign.
//!
//! A folder is foreign input: every size has a limit, nothing is allocated by a number that the file's length does not cover,
//! and no content of a file leads to a panic.

mod config;
#[cfg(feature = "endpoint")]
mod endpoint;
mod error;
mod folder;
mod kernel;
mod model;
mod reranker;
mod tokenizer;
mod unit;
mod weights;

#[cfg(feature = "endpoint")]
pub use endpoint::HttpEncoder;
pub use error::EncoderError;
pub use folder::FolderEncoder;
pub use reranker::FolderReranker;
