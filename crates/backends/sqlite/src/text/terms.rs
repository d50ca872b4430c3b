//! Terms in FTS5's query language, and their places in the text of one World.

use counterfoil_capsule::World;
use counterfoil_store::StoreError;
use counterfoil_store::text_index::{TermPlace, TextQuery};
use counterfoil_words::{Form, forms};
use rusqlite::Connection;

use super::source;
use super::sql::TOKENIZER;
use crate::error::from_sqlite;
use crate::statement::Statements;

/// The columns that hold the World itself.
const OWN: [(&str, TermPlace); 2] = [("turn", TermPlace::Turn), ("date", TermPlace::Date)];

/// Forms of the terms of a query, and expressions of FTS5 for its parts.
pub(super) struct Expressions {
    /// The forms of each term, in their order.
    pub(super) forms: Vec<Vec<Form>>,
    /// One for each term, in their order.
    pub(super) terms: Vec<String>,
    /// Expression of all phrases, if there are any.
    pub(super) phrases: Option<String>,
    /// Expression of any excluded text, if there are any.
    pub(super) excluded: Option<String>,
}

impl Expressions {
    pub(super) fn of(query: &TextQuery) -> Self {
        let one = |text: &String| expression(&forms(text, &query.languages));
        let own = |texts: &[String], operator: &str| {
            let each: Vec<String> = texts.iter().map(|it| format!("({})", one(it))).collect();
            let all = each.join(operator);
            (!texts.is_empty()).then(|| format!("{{turn date}} : ({all})"))
        };
        let forms = query.forms();
        Self {
            terms: forms.iter().map(|forms| expression(forms)).collect(),
            forms,
            phrases: own(query.phrases(), " AND "),
            excluded: own(query.excluded(), " OR "),
        }
    }

    /// Any of the terms.
    pub(super) fn any(&self) -> String {
        self.terms.join(" OR ")
    }

    /// All of the terms and phrases in the World itself or its date, and nothing excluded.
    pub(super) fn all_own(&self) -> String {
        let each: Vec<String> = self.terms.iter().map(|term| format!("({term})")).collect();
        let all = format!("({{turn date}} : ({}))", each.join(" AND "));
        let phrases = self.phrases.iter().map(|it| format!(" AND ({it})"));
        let excluded = self.excluded.iter().map(|it| format!(" NOT ({it})"));
        format!(
            "({all}{}){}",
            phrases.collect::<String>(),
            excluded.collect::<String>()
        )
    }
}

/// `"red kite" OR "kit"*`: each form of a term or phrase. One without letters or digits is `""`, which nothing matches.
fn expression(forms: &[Form]) -> String {
    let quoted = |form: &Form| {
        let star = if form.is_prefix { "*" } else { "" };
        format!("\"{}\"{star}", form.terms.join(" "))
    };
    let forms: Vec<String> = forms.iter().map(quoted).collect();
    match forms.is_empty() {
        true => "\"\"".to_owned(),
        false => forms.join(" OR "),
    }
}

/// `{turn} : ("one")`: an expression of this module, in one column. `column` is one of ours, never
/// a user's.
pub(super) fn in_column(column: &'static str, expression: &str) -> String {
    format!("{{{column}}} : ({expression})")
}

/// Returns the place of the first of `columns` in which the expression of a term matches.
pub(super) fn first_place(
    term: &str,
    columns: &[(&'static str, TermPlace)],
    matches: impl Fn(&str) -> Result<bool, StoreError>,
) -> Result<Option<TermPlace>, StoreError> {
    for (column, place) in columns {
        if matches(&in_column(column, term))? {
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

    /// Takes the text and date of a World, in place of those before.
    pub(super) fn load(&self, world: &World) -> Result<(), StoreError> {
        let (turn, date) = source::whole(world);
        self.0
            .run("INSERT INTO said (said) VALUES ('delete-all')", [])?;
        self.0.run(
            "INSERT INTO said (rowid, turn, date) VALUES (1, ?1, ?2)",
            [turn, date],
        )
    }

    /// Returns the place of each term in the World itself: its text or its date.
    pub(super) fn places(&self, terms: &[String]) -> Result<Vec<Option<TermPlace>>, StoreError> {
        terms
            .iter()
            .map(|term| first_place(term, &OWN, |expression| self.matches(expression)))
            .collect()
    }

    /// Tests whether the World matches an expression.
    pub(super) fn matches(&self, expression: &str) -> Result<bool, StoreError> {
        self.0
            .has("SELECT 1 FROM said WHERE said MATCH ?1", [expression])
    }
}
