//! Why an exchange could not be carried out.

use counterfoil_exchange::documents::DocumentError;
use counterfoil_exchange::trust::{RecordError, RecordsError};
use counterfoil_store::{EntropyError, StoreError};

/// Why an exchange could not be carried out. That a peer refuses, lies or is silent is no error: the report says so.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PeerError {
    /// What is asked cannot be written down as a document.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// A record about others cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A record about others cannot be read back.
    #[error(transparent)]
    Records(#[from] RecordsError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No random bytes.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    /// There is no such exchange.
    #[error("there is no exchange {id}; `counterfoil exchange list` shows those there are")]
    NoExchange {
        /// Its id.
        id: String,
    },
    /// What was written down of an exchange cannot be read.
    #[error("the {what} of this exchange cannot be read back; restore the database from a backup")]
    Kept {
        /// Which part of it.
        what: &'static str,
    },
    /// Something that cannot be: a bug.
    #[error("a bug: {0}; please report it")]
    Bug(&'static str),
}
