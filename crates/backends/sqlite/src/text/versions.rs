//! Of each memory one version: the one that was current, if it says what was searched for, else
//! the last that did.

use counterfoil_capsule::World;
use counterfoil_store::StoreError;
use counterfoil_store::text_index::TermPlace;
use rusqlite::{Connection, params};

use super::rank::Ranking;
use super::scopes::{ScopeRows, is_within};
use super::terms::{Expressions, Words, first_place, in_column};
use crate::statement::Statements;

/// Reads the content of a World by its log index; `None` when it is erased or archived.
pub(crate) type Contents<'f> = &'f dyn Fn(u64) -> Result<Option<World>, StoreError>;

type Places = Vec<Option<TermPlace>>;

/// Columns of the index, the nearest first. What matches in none of them matches in `near2`.
const NEAREST: [(&str, TermPlace); 3] = [
    ("turn", TermPlace::Turn),
    ("date", TermPlace::Date),
    ("near1", TermPlace::Near1),
];
/// Columns of the neighbours of a World.
const NEARBY: [(&str, TermPlace); 2] = [("near1", TermPlace::Near1), ("near2", TermPlace::Near2)];

/// Chooses among the versions that were recorded up to a log index.
pub(super) struct Versions<'c> {
    connection: &'c Connection,
    contents: Contents<'c>,
    query: &'c Expressions,
    last: u64,
    scope: Option<&'c ScopeRows>,
    words: Option<Words>,
}

impl<'c> Versions<'c> {
    pub(super) fn new(
        connection: &'c Connection,
        query: &'c Expressions,
        (last, scope): (u64, Option<&'c ScopeRows>),
        contents: Contents<'c>,
    ) -> Self {
        Self {
            connection,
            contents,
            query,
            last,
            scope,
            words: None,
        }
    }

    /// Identity of a memory: the log index of its first version.
    pub(super) fn memory(&self, idx: u64) -> Result<u64, StoreError> {
        let first: Option<u64> = self
            .connection
            .find("SELECT first FROM text_turns WHERE idx = ?1", [idx])?
            .flatten();
        Ok(first.unwrap_or(idx))
    }

    /// The version of the memory of `row` that a search gives, and where it says each term. `row`
    /// is one that matches, or that is near in meaning and current. `None` if that version lacks a phrase or holds an excluded text.
    pub(super) fn chosen(
        &mut self,
        memory: u64,
        (row, is_near): (u64, bool),
        ranking: &Ranking<'_>,
    ) -> Result<Option<(u64, Places)>, StoreError> {
        let versions = self.indexes(
            "SELECT idx FROM text_turns WHERE (idx = ?1 OR first = ?1) AND idx <= ?2 ORDER BY idx",
            memory,
        )?;
        let [_, .., current] = versions.as_slice() else {
            let passes = self.passes(|expression| self.matches(expression, row))?;
            return Ok(match passes {
                true => Some((row, ranking.places(row))),
                false => None,
            });
        };
        let said = self.said(*current)?;
        if is_near || said.iter().any(Option::is_some) {
            return self.passed(*current, said, memory);
        }
        // The newest version that says a term: after the newest that brought a term into the text, nothing can but
        // drop out of it; so the last that still says one is found by halving. A date is each version's own.
        let any = self.query.any();
        let dated = self.newest_match(&versions, &in_column("date", &any))?;
        let mut said = self.newest_match(&versions, &in_column("turn", &any))?;
        let mut silent = versions.len();
        while let Some(says) = said
            && says + 1 < silent
        {
            let middle = says.midpoint(silent);
            let idx = versions.get(middle).copied().unwrap_or_default();
            match self.said(idx)?.contains(&Some(TermPlace::Turn)) {
                true => said = Some(middle),
                false => silent = middle,
            }
        }
        let last = said.max(dated).and_then(|at| versions.get(at));
        let idx = last.copied().unwrap_or(*current);
        let said = self.said(idx)?;
        self.passed(idx, said, memory)
    }

    /// The version whose words were looked at last, unless its own text is filtered out.
    fn passed(
        &self,
        idx: u64,
        said: Places,
        memory: u64,
    ) -> Result<Option<(u64, Places)>, StoreError> {
        let holds = |expression: &str| match &self.words {
            Some(words) => words.matches(expression),
            None => Ok(false),
        };
        match self.passes(holds)? {
            true => Ok(Some((idx, self.with_nearby(said, memory)?))),
            false => Ok(None),
        }
    }

    /// Tests whether every phrase is there and nothing that is excluded.
    fn passes(&self, holds: impl Fn(&str) -> Result<bool, StoreError>) -> Result<bool, StoreError> {
        let holds = |expression: &Option<String>| expression.as_deref().map(&holds).transpose();
        Ok(holds(&self.query.phrases)?.unwrap_or(true)
            && !holds(&self.query.excluded)?.unwrap_or(false))
    }

    /// Returns the nearest place of each term in the row of one version.
    pub(super) fn row_places(&self, row: u64) -> Result<Places, StoreError> {
        let place = |term: &String| match self.matches(term, row)? {
            false => Ok(None),
            true => {
                let place = first_place(term, &NEAREST, |expression| self.matches(expression, row));
                Ok(place?.or(Some(TermPlace::Near2)))
            }
        };
        self.query.terms.iter().map(place).collect()
    }

    /// Tests whether the row of the World at `idx` matches an expression, which FTS5 does by seeking.
    fn matches(&self, expression: &str, idx: u64) -> Result<bool, StoreError> {
        self.connection.has(
            "SELECT 1 FROM text_index WHERE text_index MATCH ?1 AND rowid = ?2",
            params![expression, idx],
        )
    }

    /// The position of the newest version whose row matches.
    fn newest_match(
        &self,
        versions: &[u64],
        expression: &str,
    ) -> Result<Option<usize>, StoreError> {
        for (at, idx) in versions.iter().enumerate().rev() {
            if self.matches(expression, *idx)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Returns the place of each term in one version itself.
    fn said(&mut self, idx: u64) -> Result<Places, StoreError> {
        let Some(world) = (self.contents)(idx)? else {
            self.words = None;
            return Ok(vec![None; self.query.terms.len()]);
        };
        let words = match &self.words {
            Some(words) => words,
            None => self.words.insert(Words::new()?),
        };
        words.load(&world)?;
        words.places(&self.query.terms)
    }

    /// Terms that the version does not say itself, where a neighbour in its conversation does.
    fn with_nearby(&self, mut places: Places, memory: u64) -> Result<Places, StoreError> {
        let placed = self.indexes(
            "SELECT idx FROM text_turns WHERE (idx = ?1 OR first = ?1) AND idx <= ?2
             AND dialogue IS NOT NULL ORDER BY idx",
            memory,
        )?;
        for (term, place) in self.query.terms.iter().zip(&mut places) {
            for idx in &placed {
                if place.is_none() {
                    let matches = |expression: &str| self.matches(expression, *idx);
                    *place = first_place(term, &NEARBY, matches)?;
                }
            }
        }
        Ok(places)
    }

    fn indexes(&self, sql: &str, memory: u64) -> Result<Vec<u64>, StoreError> {
        let mut indexes: Vec<u64> = self.connection.list(sql, params![memory, self.last])?;
        indexes.retain(|row| is_within(self.scope, *row));
        Ok(indexes)
    }
}
