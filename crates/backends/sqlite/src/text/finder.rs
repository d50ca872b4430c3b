//! Looks terms up in single rows of the index, which FTS5 does by seeking.

use counterfoil_store::text_index::TermPlace;
use rusqlite::{CachedStatement, Connection, Result, params};

use super::matching::{in_column, quoted};
use super::write::row_id;

pub(super) struct Finder<'c> {
    statement: CachedStatement<'c>,
}

impl<'c> Finder<'c> {
    pub(super) fn new(connection: &'c Connection) -> Result<Self> {
        let sql = "SELECT 1 FROM text_index WHERE text_index MATCH ?1 AND rowid = ?2";
        Ok(Self {
            statement: connection.prepare_cached(sql)?,
        })
    }

    /// For each term its nearest place in the row of the World at `idx`.
    pub(super) fn places(&mut self, terms: &[String], idx: u64) -> Result<Vec<Option<TermPlace>>> {
        terms.iter().map(|term| self.nearest(term, idx)).collect()
    }

    fn nearest(&mut self, term: &str, idx: u64) -> Result<Option<TermPlace>> {
        if !self.matches(&quoted(term), idx)? {
            return Ok(None);
        }
        for (column, place) in [
            ("turn", TermPlace::Turn),
            ("date", TermPlace::Date),
            ("near1", TermPlace::Near1),
        ] {
            if self.matches(&in_column(column, &quoted(term)), idx)? {
                return Ok(Some(place));
            }
        }
        Ok(Some(TermPlace::Near2))
    }

    /// Returns the place of a term in the neighbours of the World at `idx`.
    pub(super) fn nearby(&mut self, term: &str, idx: u64) -> Result<Option<TermPlace>> {
        for (column, place) in [("near1", TermPlace::Near1), ("near2", TermPlace::Near2)] {
            if self.matches(&in_column(column, &quoted(term)), idx)? {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// Tests whether the row of the World at `idx` matches an expression of [`super::matching`].
    pub(super) fn matches(&mut self, expression: &str, idx: u64) -> Result<bool> {
        self.statement.exists(params![expression, row_id(idx)?])
    }
}
