//! The tables of full text.

use counterfoil_store::StoreError;
use counterfoil_words::RULES;
use rusqlite::Connection;

use super::{marks, scopes};
use crate::statement::Statements;

/// Each table in a fixed order, for the digest of derived state. Of FTS5's own tables those that depend on how the
/// writes were batched are left out; `text_terms` is what they mean: every word in every column of every row, with its
/// offset. The sizes that the ranking divides by are row by row and, in block 1, summed.
pub(crate) const ROWS: [&str; 10] = [
    "SELECT id, name FROM text_dialogues ORDER BY id",
    "SELECT idx, created_at, first, dialogue, position, body, dated, speaker, asks FROM text_turns ORDER BY idx",
    "SELECT term, doc, col, offset FROM text_terms",
    "SELECT id, sz FROM text_index_docsize ORDER BY id",
    "SELECT block FROM text_index_data WHERE id = 1",
    "SELECT rules FROM text_rules",
    "SELECT id, name FROM text_scopes ORDER BY id",
    "SELECT pair, scope FROM text_scope_pairs ORDER BY pair, scope",
    "SELECT idx, scope FROM text_scoped ORDER BY idx",
    "SELECT mark, idx FROM text_same ORDER BY mark, idx",
];

/// Tokenizer of the index, and of scratch indexes over a single text: both hold terms with spaces between them.
pub(super) const TOKENIZER: &str = "tokenize = 'ascii'";

macro_rules! turns_sql {
    () => {
        "
CREATE TABLE text_turns (
    idx        INTEGER PRIMARY KEY,
    created_at INTEGER NOT NULL,
    first      INTEGER,
    dialogue   INTEGER,
    position   INTEGER,
    body       TEXT NOT NULL,
    dated      TEXT NOT NULL,
    speaker    TEXT NOT NULL DEFAULT '',
    asks       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX text_turns_place ON text_turns (dialogue, position)
    WHERE dialogue IS NOT NULL;
CREATE INDEX text_turns_first ON text_turns (first)
    WHERE first IS NOT NULL;
"
    };
}

macro_rules! dialogues_sql {
    () => {
        "
CREATE TABLE text_dialogues (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
"
    };
}

/// The index with [`TOKENIZER`], its vocabulary, and the version of the rules by which texts became terms.
macro_rules! index_sql {
    () => {
        "CREATE VIRTUAL TABLE text_index USING fts5(
    turn, near1, near2, date,
    content = '', contentless_delete = 1,
    tokenize = 'ascii'
);
CREATE VIRTUAL TABLE text_terms USING fts5vocab('text_index', 'instance');
CREATE TABLE text_rules (
    rules INTEGER PRIMARY KEY
) STRICT;
"
    };
}

/// The tables of this part.
///
/// The index is contentless: the Worlds themselves are in the capsules, and what a rewrite needs
/// is in `text_turns`. At most one World holds a place in a dialogue; a later one at the same
/// place has no neighbours, so that an append never touches more than four other rows. `first` is, for
/// later versions of a World, the log index of the first; one of which only the change is indexed
/// holds no place, and its terms are not kept here. `asks` is 0 of a text without a question mark, 2 of one that ends with one, else 1.
pub(crate) fn tables_sql() -> String {
    let tables = concat!(dialogues_sql!(), turns_sql!(), index_sql!());
    format!(
        "{tables}{}{}INSERT INTO text_rules VALUES ({RULES});",
        scopes::SQL,
        marks::SQL
    )
}

/// Adds the tables of scopes to an index without, which is then derived again: what stood beside a World of another scope was
/// searched with it.
pub(crate) fn scopes_sql() -> String {
    format!(
        "{}{}DELETE FROM text_rules WHERE EXISTS (SELECT 1 FROM capsule);",
        scopes::SQL,
        marks::SQL
    )
}

/// The tables of the first schema.
pub(crate) const MIGRATION_SQL: &str =
    concat!(dialogues_sql!(), turns_sql!(), include_str!("porter.sql"));

/// Brings the index to the form above, without terms: a store that holds entries has no version of rules afterwards, so it is
/// derived again.
pub(crate) fn terms_sql() -> String {
    let tables = concat!(
        "DROP TABLE IF EXISTS text_terms; DROP TABLE IF EXISTS text_index; DROP TABLE IF EXISTS text_turns;\n",
        turns_sql!(),
        index_sql!()
    );
    format!(
        "{tables}INSERT INTO text_rules SELECT {RULES} WHERE NOT EXISTS (SELECT 1 FROM capsule);"
    )
}

/// Tests whether the terms of the index were made by the rules of this program.
pub(crate) fn are_rules_current(connection: &Connection) -> Result<bool, StoreError> {
    connection.has("SELECT 1 FROM text_rules WHERE rules = ?1", [RULES])
}

/// Query for the log indices that a selection of `actor` leaves out: every version of Worlds that are forgotten
/// for it or for all. `?1` is the actor, or an empty text for those that all have forgotten.
pub(crate) const LEFT_OUT: &str = "
    SELECT chain.idx FROM forgotten
    JOIN world ON world.id = forgotten.world
    JOIN capsule ON capsule.idx = world.idx
    LEFT JOIN stub ON stub.idx = world.idx
    JOIN chain ON chain.chain = coalesce(stub.chain,
         unhex(replace(json_extract(whole_header(capsule.header, capsule.packed), '$.chain'), '-', '')))
    WHERE forgotten.actor IN ('', ?1)";

/// Brings the tables of the first schema to the form above. Its deltas replaced the whole content,
/// so of a later version everything is indexed in either form.
pub(crate) const UPGRADE_SQL: &str = concat!(
    "
CREATE TEMP TABLE turns_before AS
    SELECT idx, created_at, dialogue, position, body, dated FROM text_turns;
DROP TABLE text_turns;
",
    turns_sql!(),
    "INSERT INTO text_turns (idx, created_at, first, dialogue, position, body, dated) SELECT * FROM (
    SELECT old.idx, created_at, first.idx, dialogue, position,
           iif(first.idx IS NULL, body, ''), iif(first.idx IS NULL, dated, '')
    FROM temp.turns_before AS old
    LEFT JOIN chain AS later ON later.idx = old.idx AND later.seq > 0
    LEFT JOIN chain AS first ON first.chain = later.chain AND first.seq = 0
    ORDER BY old.idx);
DROP TABLE temp.turns_before;
"
);
