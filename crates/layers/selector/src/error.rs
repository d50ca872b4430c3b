//! Why a selection failed; a failure is never an empty result.

use counterfoil_store::StoreError;
use counterfoil_store::text_index::{SearchError, TextQueryError};
use counterfoil_types::{ShapeError, WorldId};

/// Why nothing was selected. Finding nothing is no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// The caller asked with no letter or digit in the query.
    #[error("the query has no word to look for: name a thing, a person, a place or a time")]
    NoWords,
    /// The index could not search, or the request stands at a World that it does not know.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The store could not be read.
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
        /// What it showed, in microseconds since the Unix epoch.
        now_us: u64,
    },
    /// A result that the shape rules refuse: a fault of this crate.
    #[error("a fault in counterfoil (a selected memory is malformed: {0}): please report it")]
    Malformed(#[from] ShapeError),
    /// A search that the index's rules refuse: a fault of this crate.
    #[error("a fault in counterfoil (a search is malformed: {0}): please report it")]
    Unsearchable(#[from] TextQueryError),
}
