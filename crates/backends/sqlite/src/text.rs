//! Full-text search: one FTS5 table over each World, its date and its neighbours (MR-03).
//!
//! Derived state: everything here is made from the Worlds in log order, and a rebuild makes the
//! same again whatever the batches were. `text_turns` holds the terms of each World, `text_index` the
//! postings; the columns `near1` and `near2` hold what the turns one and two places away say, so
//! that one ranked query sees a turn in its conversation.
//!
//! `counterfoil-words` alone decides what a term is; the tokenizer separates terms at spaces. The version of its rules is in
//! `text_rules`.
//!
//! Of a later version of a World only what it changes is indexed. A search finds the versions that
//! brought a word, and asks the content of the one that is current what it still says.

#[cfg(test)]
mod bound_tests;
mod bounded;
mod cached;
mod claims;
mod gain;
pub(crate) mod marks;
mod postings;
mod rank;
#[cfg(test)]
mod rank_tests;
mod search;
mod segments;
mod sizes;
mod source;
mod sql;
mod terms;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod version_tests;
mod versions;
mod weigh;
mod write;

pub(crate) use cached::SearchCaches;
pub(crate) use claims::claims_with_all;
pub(crate) use search::{RankedWorld, search};
pub(crate) use source::searched;
pub(crate) use sql::{
    LEFT_OUT, MIGRATION_SQL, ROWS, UPGRADE_SQL, are_rules_current, scopes_sql, tables_sql,
    terms_sql,
};
pub(crate) use versions::Contents;
pub(crate) use write::TextBatch;
