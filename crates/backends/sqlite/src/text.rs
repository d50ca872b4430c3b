//! Full-text search: one FTS5 table over each World, its date and its neighbours (MR-03).
//!
//! Derived state: everything here is made from the Worlds in log order, and a rebuild makes the
//! same again whatever the batches were. `text_turns` holds what each World says, `text_index` the
//! postings; the columns `near1` and `near2` hold what the turns one and two places away say, so
//! that one ranked query sees a turn in its conversation.

mod date;
mod digest;
mod matching;
mod search;
mod source;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use digest::digest;
pub(crate) use search::{Found, search};
pub(crate) use write::index_worlds;

/// The tables of this part, made by the first migration.
///
/// The index is contentless: the Worlds themselves are in the capsules, and what a rewrite needs
/// is in `text_turns`. At most one World holds a place in a dialogue; a later one at the same
/// place stands alone, so that an append never touches more than four other rows.
pub(crate) const MIGRATION_SQL: &str = "
CREATE TABLE text_dialogues (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE text_turns (
    idx        INTEGER PRIMARY KEY,
    created_at INTEGER NOT NULL,
    dialogue   INTEGER,
    position   INTEGER,
    body       TEXT NOT NULL,
    dated      TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX text_turns_place ON text_turns (dialogue, position)
    WHERE dialogue IS NOT NULL;
CREATE VIRTUAL TABLE text_index USING fts5(
    turn, near1, near2, date,
    content = '', contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE text_terms USING fts5vocab('text_index', 'instance');
";
