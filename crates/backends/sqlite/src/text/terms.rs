//! Terms in FTS5's query language, and their places in the text of one World.

use counterfoil_capsule::World;
use counterfoil_store::StoreError;
use counterfoil_store::text_index::TermPlace;
use rusqlite::Connection;

use super::source;
use super::sql::TOKENIZER;
use crate::error::from_sqlite;
use crate::statement::Statements;

/// The columns that hold the World itself.
const OWN: [(&str, TermPlace); 2] = [("turn", TermPlace::Turn), ("date", TermPlace::Date)];

/// `"one" OR "two"`: any of the terms.
pub(super) fn any_of(terms: &[String]) -> String {
    let quoted: Vec<String> = terms.iter().map(|term| quoted(term)).collect();
    quoted.join(" OR ")
}

/// `{turn} : ("one")`: an expression of this module, in one column. `column` is one of ours, never
/// a user's.
pub(super) fn in_column(column: &'static str, expression: &str) -> String {
    format!("{{{column}}} : ({expression})")
}

/// A term as an FTS5 string: in double quotes, and inner ones doubled.
///
/// FTS5 reads its expression up to the first NUL, so NUL becomes a space: the tokenizer sees a
/// gap between words in either.
pub(super) fn quoted(term: &str) -> String {
    let inner = term.replace('"', "\"\"").replace('\0', " ");
    format!("\"{inner}\"")
}

/// Returns the place of the first of `columns` in which `term` matches.
pub(super) fn first_place(
    term: &str,
    columns: &[(&'static str, TermPlace)],
    matches: impl Fn(&str) -> Result<bool, StoreError>,
) -> Result<Option<TermPlace>, StoreError> {
    for (column, place) in columns {
        if matches(&in_column(column, &quoted(term)))? {
            return Ok(Some(*place));
        }
    }
    Ok(None)
}

/// A scratch index in memory over the text of one World at a time, with the tokenizer of the index.
pub(super) struct Words(Connection);

impl Words {
    pub(super) fn new() -> Result<Self, StoreError> {
        let scratch = Connection::open_in_memory().map_err(from_sqlite)?;
        let columns = format!("turn, date, content = '', {TOKENIZER}");
        scratch.run(
            &format!("CREATE VIRTUAL TABLE said USING fts5({columns})"),
            [],
        )?;
        Ok(Self(scratch))
    }

    /// Returns the place of each term in the World itself: its text or its date.
    pub(super) fn places(
        &self,
        world: &World,
        terms: &[String],
    ) -> Result<Vec<Option<TermPlace>>, StoreError> {
        let (turn, date) = source::whole(world);
        self.0
            .run("INSERT INTO said (said) VALUES ('delete-all')", [])?;
        self.0.run(
            "INSERT INTO said (rowid, turn, date) VALUES (1, ?1, ?2)",
            [turn, date],
        )?;
        let matches = |expression: &str| {
            self.0
                .has("SELECT 1 FROM said WHERE said MATCH ?1", [expression])
        };
        terms
            .iter()
            .map(|term| first_place(term, &OWN, matches))
            .collect()
    }
}
