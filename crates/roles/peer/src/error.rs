//! Errors of exchanges.

use counterfoil_exchange::documents::DocumentError;
use counterfoil_store::StoreError;

/// Failure of this agent to carry out an exchange. A peer that refuses, lies or is silent is not an error: the report says so.
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
    /// A bug of this crate.
    #[error("a bug: {0}; please report it")]
    Bug(&'static str),
}
