//! The protocol in plain text: an interpreter without a model, and a renderer (MRP "Natural Language Mapping"; R18;
//! docs/format/transports.md §3).

mod answer;
mod document;
mod grammar;
mod interpret;
mod layout;
mod model;
mod proposal;
mod question;
mod render;
mod sentences;
mod words;

#[cfg(test)]
mod tests;

pub use interpret::{Interpreter, MAX_MESSAGE_BYTES, MAX_PROPOSALS, Vocabulary};
pub use model::{LanguageModel, ModelProposal};
pub use proposal::{Heard, Proposal, Proposed, ProposedRequest, ProposedResponse, ProposedResult};
pub use render::{block, render_request, render_response};
