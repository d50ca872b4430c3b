//! Errors of exchanges.

use counterfoil_exchange::documents::DocumentError;
use counterfoil_store::StoreError;

/// Failure of this agent to carry out an exchange, or of a transport. A peer that refuses, lies or is silent is not an error of
/// an exchange: the report says so.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PeerError {
    /// The question cannot be written as a document.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// A trust record cannot be written or read.
    #[error(transparent)]
    Records(DocumentError),
    /// The store, or the random source, failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No exchange has this id.
    #[error("there is no exchange {id}; `counterfoil exchange list` shows those there are")]
    NoExchange {
        /// Id of the request.
        id: String,
    },
    /// A stored part of the exchange cannot be read.
    #[error("the {what} of this exchange cannot be read back; restore the database from a backup")]
    Unreadable {
        /// Name of the part.
        what: &'static str,
    },
    /// A failure of a transport that may pass.
    #[error("{detail}")]
    Failed {
        /// Cause.
        detail: String,
        /// Wait that the other side asks for, in microseconds.
        retry_after_us: Option<u64>,
    },
    /// A failure of a transport that lasts: the other side refuses, or the place does not exist.
    #[error("{detail}")]
    Refused {
        /// Cause, and advice.
        detail: String,
        /// Word of the problem, if the other side sent one.
        problem: Option<String>,
    },
    /// A bug of this crate.
    #[error("a bug: {0}; please report it")]
    Bug(&'static str),
}
