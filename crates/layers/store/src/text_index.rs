//! The search half of layer 1: which Worlds contain these words, ranked (MR-03: any algorithm).

use async_trait::async_trait;
use counterfoil_capsule::Timestamp;
pub use counterfoil_types::Contest;
use counterfoil_types::{Scope, TimeRange, WorldId};
use counterfoil_words::{Form, Language, forms};

use crate::StoreError;

/// The most terms that one query may hold.
pub const MAX_TERMS: usize = 64;

/// The longest term or phrase, in bytes.
pub const MAX_TERM_BYTES: usize = 256;

/// The most readings of terms that one query may hold; the rest is left out.
pub const MAX_READINGS: usize = 16;

/// The most texts of one reading; the rest is left out.
pub const MAX_READ_TEXTS: usize = 128;

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
    /// One page of the Worlds that contain at least one term, best first; without terms, of those nearest to the vector.
    ///
    /// The order is total: equal scores go by log index, older first. So consecutive pages of one
    /// unchanged index, laid end to end, are the one big page.
    ///
    /// # Errors
    /// [`StoreError::UnknownBound`] when the query is bounded by a World that the store does not hold, and when the index
    /// can't be read. Finding nothing is `Ok` and empty.
    async fn search(&self, query: &TextQuery) -> Result<Vec<TextHit>, StoreError>;

    /// Units of claims whose own words and dates together hold every term, and pass the filters: the latest first, at most
    /// the query's limit, from among the latest 10,000 Worlds that hold them. The scores are 0. An index that does not know claims finds
    /// none.
    ///
    /// # Errors
    /// As for [`search`](Self::search).
    async fn claims_with_all(&self, _query: &TextQuery) -> Result<Vec<TextHit>, StoreError> {
        Ok(Vec::new())
    }
}

/// Texts that are looked for as well as a term, and count as it: other names of a subject, the dates of `last week`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Position of the term in the query.
    pub term: usize,
    /// The words of the question that are read: `last week`.
    pub words: String,
    /// The reading, as a person names it: `2026-04-27 to 2026-05-03`.
    pub name: String,
    /// Words and phrases, each of at most [`MAX_TERM_BYTES`]; longer ones are left out.
    pub texts: Vec<String>,
}

/// Terms to look for, with bounds. Terms are plain words: an index knows no syntax in them.
#[derive(Debug, Clone, PartialEq)]
pub struct TextQuery {
    terms: Vec<String>,
    phrases: Vec<String>,
    excluded: Vec<String>,
    readings: Vec<Reading>,
    /// Languages that the terms may be in; any if there are none.
    pub languages: Vec<Language>,
    /// Phrases that name the dates which the terms ask for: a World that is dated with one, or says one, comes above others that
    /// say as much ([`Weights::dated`]). They find nothing by themselves.
    pub dates: Vec<String>,
    /// Only Worlds whose `createdAt` lies in this range (both bounds exclusive, ms).
    pub time_range: Option<TimeRange>,
    /// Only Worlds whose log index is at most that of this World.
    pub bound: Option<WorldId>,
    /// Lists each version that brought a term, or that is dated with one, instead of each memory as one of its versions.
    pub each_version: bool,
    /// Agent (its `did:key`) in whose name it is asked: Worlds that it has forgotten are left out, as are those that are
    /// forgotten for all in any query (MEM-MAINT).
    pub actor: Option<String>,
    /// Scope that is asked in: what is in no other one. Order, scores and page are those of an index with nothing but the Worlds in
    /// it, and no claims, which have no scope (decision 0067).
    pub scope: Scope,
    /// Weights of the order.
    pub weights: Weights,
    /// The question as a vector of the model of the store's vectors, to find by meaning as well.
    pub vector: Option<Vec<f32>>,
    limit: usize,
    offset: usize,
}

impl TextQuery {
    /// A query for any of `terms`: the first ten hits, over all Worlds.
    ///
    /// # Errors
    /// [`StoreError::TermCount`] without a term or with more than [`MAX_TERMS`], [`StoreError::TermLength`] with one that
    /// is empty or longer than [`MAX_TERM_BYTES`].
    pub fn new<T: Into<String>>(terms: impl IntoIterator<Item = T>) -> Result<Self, StoreError> {
        let terms = checked(terms)?;
        if terms.is_empty() {
            return Err(StoreError::TermCount { count: 0 });
        }
        Ok(Self {
            terms,
            ..Self::without_terms()
        })
    }

    /// A query by meaning alone: the first ten hits, over all Worlds with a vector.
    pub fn by_meaning(vector: Vec<f32>) -> Self {
        Self {
            vector: Some(vector),
            ..Self::without_terms()
        }
    }

    fn without_terms() -> Self {
        Self {
            terms: Vec::new(),
            vector: None,
            phrases: Vec::new(),
            excluded: Vec::new(),
            readings: Vec::new(),
            languages: Vec::new(),
            dates: Vec::new(),
            time_range: None,
            bound: None,
            each_version: false,
            actor: None,
            scope: Scope::default(),
            weights: Weights::default(),
            limit: 10,
            offset: 0,
        }
    }

    /// Requires every one of `phrases` in the memory itself or in its date, word after word, and none of `excluded`, which are
    /// words or phrases as well. Endings, letter case and accents do not count.
    ///
    /// # Errors
    /// [`StoreError::TermCount`] with more than [`MAX_TERMS`] of either, [`StoreError::TermLength`] with one that is empty or
    /// longer than [`MAX_TERM_BYTES`].
    pub fn filtered<T: Into<String>>(
        mut self,
        phrases: impl IntoIterator<Item = T>,
        excluded: impl IntoIterator<Item = T>,
    ) -> Result<Self, StoreError> {
        self.phrases = checked(phrases)?;
        self.excluded = checked(excluded)?;
        Ok(self)
    }

    /// Adds readings of terms, as many as [`MAX_READINGS`] allow. One of a term that the query does not have is left out.
    #[must_use]
    pub fn read_as(mut self, readings: impl IntoIterator<Item = Reading>) -> Self {
        let terms = self.terms.len();
        for mut reading in readings {
            let bytes = 1..=MAX_TERM_BYTES;
            reading.texts.retain(|text| bytes.contains(&text.len()));
            reading.texts.truncate(MAX_READ_TEXTS);
            if self.readings.len() < MAX_READINGS && reading.term < terms {
                self.readings.push(reading);
            }
        }
        self
    }

    /// The same query for all or any of other terms, without readings.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn with_terms(&self, terms: &[String]) -> Result<Self, StoreError> {
        Ok(Self {
            terms: Self::new(terms)?.terms,
            readings: Vec::new(),
            ..self.clone()
        })
    }

    /// Skip `offset` hits, then return at most `limit` (cut to [`MAX_PAGE`]).
    #[must_use]
    pub fn page(mut self, offset: usize, limit: usize) -> Self {
        self.offset = offset;
        self.limit = limit.min(MAX_PAGE);
        self
    }

    /// The words to look for, in the order of the query.
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// The readings of its terms.
    pub fn readings(&self) -> &[Reading] {
        &self.readings
    }

    /// Returns the forms of each term, in the order of the terms, and of the texts that it is read as: each form once.
    pub fn forms(&self) -> Vec<Vec<Form>> {
        let forms_of = |(at, term): (usize, &String)| {
            let readings = self.readings.iter().filter(|reading| reading.term == at);
            let texts = [term].into_iter().chain(readings.flat_map(|it| &it.texts));
            let mut all: Vec<Form> = Vec::new();
            for form in texts.flat_map(|text| forms(text, &self.languages)) {
                if !all.contains(&form) {
                    all.push(form);
                }
            }
            all
        };
        self.terms.iter().enumerate().map(forms_of).collect()
    }

    /// The phrases that a memory must hold.
    pub fn phrases(&self) -> &[String] {
        &self.phrases
    }

    /// The words and phrases that a memory may not hold.
    pub fn excluded(&self) -> &[String] {
        &self.excluded
    }

    /// The most hits to return.
    pub const fn limit(&self) -> usize {
        self.limit
    }

    /// The hits to skip.
    pub const fn offset(&self) -> usize {
        self.offset
    }
}

/// Weights of the order.
///
/// The best by their words are weighed: their weight is the sum of the parts below. What follows them keeps the order of the
/// words alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Of a word in the World's own text, in the turns beside it, in those two places away, and in its date.
    pub words: [f64; 4],
    /// Score of the words that adds 1, where the unit is the best score of the query, divided by the square of the share of the
    /// question's words that its World holds.
    pub unit: f64,
    /// Share of the score that the best World of the same session adds.
    pub session: f64,
    /// For a World whose speaker is the only one that the question names.
    pub speaker: f64,
    /// For a World that holds one of [`TextQuery::dates`], or is dated with it.
    pub dated: f64,
    /// For the share of the question's words that the World or its date holds.
    pub own: f64,
    /// For the share of the question's words in the turn directly before, if that asks something.
    pub answers: f64,
    /// Taken from a World that ends with a question: it asks, and answers nothing.
    pub asks: f64,
    /// For each standard deviation by which the cosine of the World with the question is above that of the store; with
    /// [`TextQuery::vector`] alone.
    pub meaning: f64,
    /// The same for the mean of the turns beside it, or for the World itself where there are none.
    pub meaning_beside: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            words: [1.0, 0.5, 0.25, 1.0],
            unit: 1.0,
            session: 0.6,
            speaker: 0.1,
            dated: 0.05,
            own: 0.2,
            answers: 0.3,
            asks: 0.1,
            meaning: 0.12,
            meaning_beside: 0.06,
        }
    }
}

fn checked<T: Into<String>>(terms: impl IntoIterator<Item = T>) -> Result<Vec<String>, StoreError> {
    let terms: Vec<String> = terms.into_iter().map(Into::into).collect();
    if terms.len() > MAX_TERMS {
        return Err(StoreError::TermCount { count: terms.len() });
    }
    let mut lengths = terms.iter().map(String::len);
    match lengths.find(|&bytes| bytes == 0 || bytes > MAX_TERM_BYTES) {
        Some(bytes) => Err(StoreError::TermLength { bytes }),
        None => Ok(terms),
    }
}

/// One World that contains a term.
#[derive(Debug, Clone, PartialEq)]
pub struct TextHit {
    /// The World's id.
    pub world_id: WorldId,
    /// The World's place in the log, from 0.
    pub index: u64,
    /// Score: larger is better. Comparable within one query only. The exponential of a weight of some 0 to 2; with
    /// [`TextQuery::each_version`] the score of the words.
    pub score: f64,
    /// The nearest place of each term, in the order of the query; `None` where it is nowhere.
    pub places: Vec<Option<TermPlace>>,
    /// Share of the score that the meaning has, from 0 (found by its words alone) to 1.
    pub meaning: f64,
    /// The version directly after it, with its transaction time; `None` if this version was current at the query's bound.
    pub replaced: Option<(WorldId, Timestamp)>,
    /// Reason of a dispute, if any.
    pub contest: Option<Contest>,
}

impl TextHit {
    /// A hit that is current and undisputed.
    pub const fn new(
        world_id: WorldId,
        index: u64,
        score: f64,
        places: Vec<Option<TermPlace>>,
    ) -> Self {
        Self {
            world_id,
            index,
            score,
            places,
            meaning: 0.0,
            replaced: None,
            contest: None,
        }
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
    fn a_query_holds_a_bounded_number_of_terms_of_bounded_length() {
        let refused = |terms: Vec<String>| TextQuery::new(terms).unwrap_err().to_string();
        for count in [0, MAX_TERMS + 1] {
            let error = refused(vec!["a".into(); count]);
            assert!(error.contains(&format!("this one {count}")), "{error}");
        }
        for bytes in [0, MAX_TERM_BYTES + 1] {
            let error = refused(vec!["a".into(), "x".repeat(bytes)]);
            assert!(error.contains(&format!("this one {bytes}")), "{error}");
        }
        let most = vec!["x".repeat(MAX_TERM_BYTES); MAX_TERMS];
        let query = TextQuery::new(most.clone()).unwrap();
        assert!(query.clone().filtered(most.clone(), most.clone()).is_ok());
        let many = vec![String::from("x"); MAX_TERMS + 1];
        for (phrases, excluded) in [
            (many.clone(), vec![]),
            (vec![], many),
            (vec![String::new()], vec![]),
        ] {
            assert!(query.clone().filtered(phrases, excluded).is_err());
        }
    }

    #[test]
    fn readings_have_limits_and_are_forms_of_their_term() {
        let read = |term, text: &str, times| Reading {
            term,
            words: String::new(),
            name: String::new(),
            texts: vec![text.to_owned(); times],
        };
        let query = TextQuery::new(["bob", "lives"]).unwrap();
        let many = (0..MAX_READINGS).map(|_| read(1, "x", MAX_READ_TEXTS + 1));
        let full = query.clone().read_as(many).read_as([read(0, "robert", 1)]);
        assert_eq!(full.readings().len(), MAX_READINGS);
        assert_eq!(full.readings()[0].texts.len(), MAX_READ_TEXTS);
        let long = "x".repeat(MAX_TERM_BYTES + 1);
        let mut read_as = query.read_as([
            read(2, "x", 1),
            read(0, &long, 1),
            read(0, "robert smith", 2),
        ]);
        read_as.languages = vec![Language::English];
        let forms = read_as.forms();
        let shown = |forms: &Vec<Form>| {
            forms
                .iter()
                .map(|it| it.terms.join(" "))
                .collect::<Vec<_>>()
        };
        assert_eq!(shown(&forms[0]), ["bob", "robert smith"]);
        assert_eq!(shown(&forms[1]), ["live"]);
        assert_eq!(
            read_as.with_terms(&["kite".to_owned()]).unwrap().readings(),
            []
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
        let falls = |two: &[TermPlace]| two[0].weight() >= two[1].weight();
        assert!(places.windows(2).all(falls));
        assert!(places.is_sorted());
    }
}
