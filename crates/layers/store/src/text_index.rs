//! The search half of layer 1: which Worlds contain these words, ranked (MR-03: any algorithm).

use async_trait::async_trait;
use counterfoil_capsule::Timestamp;
use counterfoil_types::{TimeRange, WorldId};

use crate::StoreError;

/// The most terms that one query may hold.
pub const MAX_TERMS: usize = 64;

/// The longest term, in bytes.
pub const MAX_TERM_BYTES: usize = 256;

/// The most hits that one page may ask for.
pub const MAX_PAGE: usize = 1_000;

/// Full-text search over the Worlds of a store.
///
/// Of a memory that was changed, one version is a hit: the one that was current at the query's
/// bound if it still says a term, else the last that did ([`TextHit::replaced`] says so then).
///
/// An index is derived state: it can be thrown away and made again from the capsules, and it
/// proves nothing. The caller fetches the World of a hit and proves it (M-1).
#[async_trait]
pub trait TextIndex: Send + Sync {
    /// One page of the Worlds that contain at least one term, best first.
    ///
    /// The order is total: equal scores go by log index, older first. So consecutive pages of one
    /// unchanged index, laid end to end, are the one big page.
    ///
    /// # Errors
    /// [`SearchError`] when the index can't be read, or when the query is bounded by a World that
    /// the store does not hold. Finding nothing is `Ok` and empty.
    async fn search(&self, query: &TextQuery) -> Result<Vec<TextHit>, SearchError>;
}

/// Terms to look for, with bounds. Terms are plain words: an index knows no syntax in them.
#[derive(Debug, Clone, PartialEq)]
pub struct TextQuery {
    terms: Vec<String>,
    time_range: Option<TimeRange>,
    recorded_up_to: Option<WorldId>,
    listing: Listing,
    actor: Option<String>,
    limit: usize,
    offset: usize,
}

/// Unit of listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Listing {
    /// A memory, as one of its versions.
    #[default]
    EachMemory,
    /// Each version that brought a term, or that is dated with one.
    EachVersion,
}

impl TextQuery {
    /// A query for any of `terms`: the first ten hits, over all Worlds.
    ///
    /// # Errors
    /// [`TextQueryError`] without a term, with more than [`MAX_TERMS`], or with one that is empty
    /// or longer than [`MAX_TERM_BYTES`].
    pub fn new<T: Into<String>>(
        terms: impl IntoIterator<Item = T>,
    ) -> Result<Self, TextQueryError> {
        let terms: Vec<String> = terms.into_iter().map(Into::into).collect();
        check(&terms)?;
        Ok(Self {
            terms,
            time_range: None,
            recorded_up_to: None,
            listing: Listing::default(),
            actor: None,
            limit: 10,
            offset: 0,
        })
    }

    /// Only Worlds whose `createdAt` lies in `range` (both bounds exclusive, ms).
    #[must_use]
    pub fn within(mut self, range: TimeRange) -> Self {
        self.time_range = Some(range);
        self
    }

    /// Only Worlds whose log index is at most that of `world`.
    #[must_use]
    pub fn recorded_up_to(mut self, world: WorldId) -> Self {
        self.recorded_up_to = Some(world);
        self
    }

    /// Sets the unit of listing.
    #[must_use]
    pub fn listed(mut self, listing: Listing) -> Self {
        self.listing = listing;
        self
    }

    /// Asks in the name of this agent (its `did:key`): Worlds that it has forgotten are left out, as are those
    /// that are forgotten for all in any query (MEM-MAINT).
    #[must_use]
    pub fn asked_by(mut self, actor: impl Into<String>) -> Self {
        self.actor = Some(actor.into());
        self
    }

    /// Skip `offset` hits, then return at most `limit` (cut to [`MAX_PAGE`]).
    #[must_use]
    pub fn page(mut self, offset: usize, limit: usize) -> Self {
        self.offset = offset;
        self.limit = limit.min(MAX_PAGE);
        self
    }

    /// The words to look for, in the order of the query.
    #[must_use]
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// The bounds on `createdAt`, if any.
    #[must_use]
    pub fn time_range(&self) -> Option<&TimeRange> {
        self.time_range.as_ref()
    }

    /// The World after which nothing counts, if any.
    #[must_use]
    pub fn bound(&self) -> Option<&WorldId> {
        self.recorded_up_to.as_ref()
    }

    /// In whose name it is asked, if it is said.
    #[must_use]
    pub fn actor(&self) -> Option<&str> {
        self.actor.as_deref()
    }

    /// Unit of listing.
    #[must_use]
    pub fn listing(&self) -> Listing {
        self.listing
    }

    /// The most hits to return.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The hits to skip.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }
}

fn check(terms: &[String]) -> Result<(), TextQueryError> {
    if terms.is_empty() {
        return Err(TextQueryError::NoTerms);
    }
    if terms.len() > MAX_TERMS {
        return Err(TextQueryError::TooManyTerms { count: terms.len() });
    }
    for term in terms {
        if term.is_empty() || term.len() > MAX_TERM_BYTES {
            return Err(TextQueryError::TermLength { bytes: term.len() });
        }
    }
    Ok(())
}

/// Fault of a [`TextQuery`]: the caller's to mend.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextQueryError {
    /// Nothing to look for.
    #[error("a text query needs at least one term: pass a word")]
    NoTerms,
    /// More terms than an index will look up.
    #[error("a text query holds at most {MAX_TERMS} terms, this one {count}: pass fewer words")]
    TooManyTerms {
        /// Number of terms.
        count: usize,
    },
    /// An empty or overlong term.
    #[error("a term is 1 to {MAX_TERM_BYTES} bytes long, this one {bytes}: pass single words")]
    TermLength {
        /// Its length in bytes.
        bytes: usize,
    },
}

/// Failure of a search. Finding nothing is no failure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The caller bounds the search by a World that is not here.
    #[error(
        "the World {world_id} is not in this store, so nothing can be recalled as of it: \
         name a World that is, or search without a bound"
    )]
    UnknownBound {
        /// The World that was named.
        world_id: WorldId,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// One World that contains a term.
#[derive(Debug, Clone, PartialEq)]
pub struct TextHit {
    world_id: WorldId,
    index: u64,
    score: f64,
    places: Vec<Option<TermPlace>>,
    replaced: Option<SupersededBy>,
    contest: Option<Contest>,
}

/// Successor of a version, at the query's bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupersededBy {
    /// The version directly after it.
    pub by: WorldId,
    /// Transaction time of the successor.
    pub recorded_at: Timestamp,
}

/// Reason for which a version is in dispute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Contest {
    /// Its chain was continued in two ways, and the fork is not resolved.
    Fork,
    /// It is in the branch of a forked chain that was resolved not to count.
    Abandoned,
    /// It was signed after its key had come into other hands.
    Key,
}

impl TextHit {
    /// A hit. `places` has one element per term of the query, in its order.
    #[must_use]
    pub fn new(world_id: WorldId, index: u64, score: f64, places: Vec<Option<TermPlace>>) -> Self {
        Self {
            world_id,
            index,
            score,
            places,
            replaced: None,
            contest: None,
        }
    }

    /// As a version that was replaced.
    #[must_use]
    pub fn replaced_by(mut self, replaced: Option<SupersededBy>) -> Self {
        self.replaced = replaced;
        self
    }

    /// As a version that is in dispute.
    #[must_use]
    pub fn contested(mut self, contest: Option<Contest>) -> Self {
        self.contest = contest;
        self
    }

    /// Returns the successor, if this is not the version that was current at the query's bound.
    #[must_use]
    pub fn replaced(&self) -> Option<&SupersededBy> {
        self.replaced.as_ref()
    }

    /// Returns the reason of a dispute, if any.
    #[must_use]
    pub fn contest(&self) -> Option<Contest> {
        self.contest
    }

    /// The World's id.
    #[must_use]
    pub fn world_id(&self) -> &WorldId {
        &self.world_id
    }

    /// The World's place in the log, from 0.
    #[must_use]
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Score: larger is better. Comparable within one query only.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.score
    }

    /// The nearest place of each term, in the order of the query; `None` where it is nowhere.
    #[must_use]
    pub fn places(&self) -> &[Option<TermPlace>] {
        &self.places
    }
}

/// Place of a term, nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TermPlace {
    /// In the World's own text.
    Turn,
    /// In its date.
    Date,
    /// In the turn directly before or after it.
    Near1,
    /// Two turns before or after it.
    Near2,
}

impl TermPlace {
    /// Weight of a word found here, against 1 for the World itself.
    #[must_use]
    pub const fn weight(self) -> f64 {
        match self {
            Self::Turn | Self::Date => 1.0,
            Self::Near1 => 0.3,
            Self::Near2 => 0.1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_needs_a_term_and_holds_a_bounded_number() {
        let none: [&str; 0] = [];
        assert_eq!(TextQuery::new(none), Err(TextQueryError::NoTerms));
        assert_eq!(
            TextQuery::new(vec!["a"; MAX_TERMS + 1]),
            Err(TextQueryError::TooManyTerms {
                count: MAX_TERMS + 1
            })
        );
        assert!(TextQuery::new(vec!["a"; MAX_TERMS]).is_ok());
    }

    #[test]
    fn a_term_is_neither_empty_nor_overlong() {
        assert_eq!(
            TextQuery::new([""]),
            Err(TextQueryError::TermLength { bytes: 0 })
        );
        let long = "x".repeat(MAX_TERM_BYTES + 1);
        assert_eq!(
            TextQuery::new([long.as_str()]),
            Err(TextQueryError::TermLength {
                bytes: MAX_TERM_BYTES + 1
            })
        );
    }

    #[test]
    fn a_page_is_cut_to_the_largest() {
        let query = TextQuery::new(["a"]).unwrap().page(7, usize::MAX);
        assert_eq!((query.offset(), query.limit()), (7, MAX_PAGE));
    }

    #[test]
    fn a_nearer_place_never_weighs_less() {
        let places = [
            TermPlace::Turn,
            TermPlace::Date,
            TermPlace::Near1,
            TermPlace::Near2,
        ];
        assert!(
            places
                .windows(2)
                .all(|two| two[0].weight() >= two[1].weight())
        );
        assert!(places.is_sorted());
    }
}
