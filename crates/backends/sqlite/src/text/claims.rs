//! Claims that hold every word of a question, whatever their rank among all Worlds is.

use counterfoil_store::StoreError;
use counterfoil_store::text_index::TextQuery;
use rusqlite::{Connection, params};

use super::search::{RankedWorld, require_current_rules};
use super::sql::LEFT_OUT;
use super::terms::Expressions;
use super::versions::{Contents, Versions};
use crate::scopes;
use crate::statement::Statements;

/// The most Worlds that are looked at: a question of frequent words must not read the index to its end.
const MAX_ROWS: usize = 10_000;

/// Units of claims up to the log index `last` whose own words and dates hold all terms and pass the filters of
/// the query, the latest first. `units` is the
/// number of their list in `claim_entry`.
pub(crate) fn claims_with_all(
    (connection, units): (&Connection, i64),
    query: &TextQuery,
    last: Option<u64>,
    contents: Contents<'_>,
) -> Result<Vec<RankedWorld>, StoreError> {
    require_current_rules(connection)?;
    if !connection.has("SELECT 1 FROM claim_entry WHERE list = ?1", [units])? {
        return Ok(Vec::new());
    }
    let last = last.unwrap_or(i64::MAX.unsigned_abs());
    let hidden = match connection.has("SELECT 1 FROM forgotten", [])? {
        true => format!("AND rowid NOT IN ({LEFT_OUT})"),
        false => String::new(),
    };
    let in_scope = scopes::within_sql(connection, &query.scope, "held.idx")?;
    let sql = format!(
        "SELECT held.idx FROM (
            SELECT rowid AS idx FROM text_index WHERE text_index MATCH ?2 AND rowid <= ?3 {hidden}
            ORDER BY rowid DESC LIMIT {MAX_ROWS}) AS held
         WHERE EXISTS (SELECT 1 FROM claim_entry WHERE list = {units} AND a = held.idx) {in_scope}
         ORDER BY held.idx DESC LIMIT ?4"
    );
    let expressions = Expressions::of(query);
    let expression = expressions.all_own();
    let actor = query.actor.as_deref().unwrap_or_default();
    let limit = i64::try_from(query.limit()).unwrap_or(i64::MAX);
    let found: Vec<u64> = connection.list(&sql, params![actor, expression, last, limit])?;
    let versions = Versions::new(connection, &expressions, (last, None), contents);
    let ranked = found.into_iter().map(|idx| {
        let places = versions.row_places(idx)?;
        Ok(RankedWorld {
            idx,
            score: 0.0,
            places,
            meaning: 0.0,
        })
    });
    ranked.collect()
}
