//! Rows as they were at the bound of a query: the words of turns beside them that were recorded later do not count.

use std::sync::Arc;

use counterfoil_store::StoreError;
use counterfoil_words::Form;
use rusqlite::Connection;

use super::gain::Gain;
use super::postings::Postings;
use super::segments::DAMAGED;
use super::write::neighbours;
use crate::statement::Statements;

/// Finds the rows up to `?1` beside which a turn was recorded later.
const BESIDE_LATER: &str = "SELECT DISTINCT own.idx FROM text_turns AS later
     CROSS JOIN text_turns AS own ON own.dialogue = later.dialogue
     AND own.position BETWEEN later.position - 2 AND later.position + 2
     WHERE later.idx > ?1 AND own.idx <= ?1";

/// Takes what was recorded after `last` out of the postings of rows up to there. Takes time by the number of later rows.
pub(super) fn take_out_later(
    connection: &Connection,
    (postings, forms): (&mut [Postings], &[&Form]),
    gain: &Gain<'_>,
    last: u64,
) -> Result<(), StoreError> {
    let last = i64::try_from(last).unwrap_or(i64::MAX);
    let rows: Vec<u64> = connection.list(BESIDE_LATER, [last])?;
    if rows.is_empty() {
        return Ok(());
    }
    for row in rows {
        if postings.iter().all(|it| it.columns(row) == 0) {
            continue;
        }
        let sql = "SELECT body, dated, dialogue, position FROM text_turns WHERE idx = ?1";
        let (turn, date, dialogue, position): (String, String, i64, i64) =
            connection.get(sql, [row])?;
        let [near1, near2] = neighbours(connection, (dialogue, position), last)?;
        let columns = [&turn, &near1, &near2, &date].map(|text| terms_of(text));
        let size = columns.iter().map(Vec::len).sum::<usize>();
        let size = u32::try_from(size).map_err(|_| DAMAGED)?;
        for (postings, form) in postings.iter_mut().zip(forms) {
            let columns = (0..).zip(&columns);
            let places = columns.flat_map(|(number, terms)| vec![number; count(terms, form)]);
            postings.replace(row, size, &places.collect::<Vec<u8>>(), gain)?;
        }
    }
    for postings in postings {
        Arc::make_mut(&mut postings.rows).retain(|posting| posting.columns != 0);
    }
    Ok(())
}

/// The terms of a column, as the tokenizer of the index separates them.
fn terms_of(text: &str) -> Vec<&str> {
    let terms = text.split(|it: char| it.is_ascii() && !it.is_ascii_alphanumeric());
    terms.filter(|term| !term.is_empty()).collect()
}

/// Number of places at which a form is, its terms one directly after the other.
fn count(terms: &[&str], form: &Form) -> usize {
    let length = form.terms.len();
    let is_there = |window: &&[&str]| {
        let mut pairs = (1..).zip(window.iter().zip(&form.terms));
        pairs.all(
            |(at, (found, wanted))| match form.is_prefix && at == length {
                true => found.starts_with(wanted.as_str()),
                false => *found == wanted,
            },
        )
    };
    match length {
        0 => 0,
        _ => terms.windows(length).filter(is_there).count(),
    }
}
