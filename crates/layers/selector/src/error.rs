//! Errors of a selection; a failure is never an empty result.

use counterfoil_store::StoreError;
use counterfoil_types::{BoxError, ShapeError, WorldId};

/// A failed selection. An empty result is no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// The caller asked with no letter or digit in the query.
    #[error("the query has no word to look for: name a thing, a person, a place or a time")]
    NoWords,
    /// The store could not be read or searched, or it does not know the World of the request.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store answered with another World than it was asked for.
    #[error(
        "the store was asked for the World {asked} and answered with {answered}: \
         audit the store, and rebuild what it derives"
    )]
    OtherWorld {
        /// The World that was asked for.
        asked: WorldId,
        /// The World that came.
        answered: WorldId,
    },
    /// The clock shows no time that can be written down.
    #[error("the clock shows {now_us} µs since 1970, which can't be right: set it and retry")]
    Clock {
        /// Time of the clock, in microseconds since 1970.
        now_us: u64,
    },
    /// The reranker cannot be run.
    #[error("the reranker: {0}")]
    Reranker(BoxError),
    /// A result that the shape rules refuse: a fault of the selector.
    #[error("a fault in counterfoil (a selected memory is malformed: {0}): please report it")]
    Malformed(#[from] ShapeError),
}

impl From<BoxError> for SelectError {
    fn from(error: BoxError) -> Self {
        match error.downcast() {
            Ok(error) => *error,
            Err(error) => Self::Store(error.into()),
        }
    }
}
