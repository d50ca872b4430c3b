//! The tables of vectors.

/// The tables of this part: kept by a rebuild, and compared with no index that is made again.
pub(crate) const TABLES: [&str; 4] = ["vector_model", "vector", "vector_none", "vector_block"];

/// Makes the tables (docs/format/database.md). `mark` is another one whenever all blocks were made anew, and `change` grows with each block that is
/// written, so that a reader knows which blocks it has to read again.
pub(crate) const MIGRATION_SQL: &str = "CREATE TABLE vector_model (
    id          INTEGER PRIMARY KEY CHECK (id = 0),
    fingerprint TEXT    NOT NULL,
    dimensions  INTEGER NOT NULL CHECK (dimensions BETWEEN 1 AND 4096),
    rows        INTEGER NOT NULL,
    centred     INTEGER NOT NULL,
    mark        BLOB    NOT NULL CHECK (length(mark) = 16),
    change      INTEGER NOT NULL,
    centre      BLOB    NOT NULL CHECK (length(centre) = 4 * dimensions)
) STRICT;
CREATE TABLE vector (
    idx    INTEGER PRIMARY KEY,
    halves BLOB NOT NULL
) STRICT;
CREATE TABLE vector_none (
    idx INTEGER PRIMARY KEY
) STRICT;
CREATE TABLE vector_block (
    number INTEGER PRIMARY KEY,
    change INTEGER NOT NULL,
    rows   BLOB    NOT NULL
) STRICT;";
