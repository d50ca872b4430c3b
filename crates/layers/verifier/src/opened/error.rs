//! Errors of opened capsules.

use counterfoil_types::document::Fault;
use counterfoil_types::json::JsonError;

use crate::refusal::Refusal;

/// An opened capsule that was refused. Its maker is to blame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenedError {
    /// A member that is unknown, missing or malformed.
    #[error(transparent)]
    Member(#[from] Fault),
    /// The header is not canonical JSON.
    #[error("the header cannot be read: {0}")]
    Header(JsonError),
    /// The content is not canonical JSON.
    #[error("the content cannot be read: {0}")]
    Content(JsonError),
    /// The proof or the signature does not hold.
    #[error(transparent)]
    Proof(#[from] Refusal),
    /// The header is not the one that was recorded.
    #[error("the header is not the one that the entry names: agent, time or place were changed")]
    HeaderChanged,
    /// The header speaks of another World or content than the entry.
    #[error("the header is of another World or content than the entry that names it")]
    HeaderOfAnother,
    /// The content, or its salt, is not the one that was recorded.
    #[error("content and salt do not give the address in the entry: one of them was changed")]
    ContentChanged,
    /// The content names itself another World than the entry does.
    #[error("the content calls itself another World than the entry that names it")]
    ContentOfAnother,
    /// Another key than the agent's signed.
    #[error("the signature is by another key than that of the agent in the header")]
    KeyOfAnother,
}
