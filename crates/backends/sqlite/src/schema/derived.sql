-- Derived state: made from the ground in log order, and made again by a rebuild.

CREATE TABLE world (
    idx INTEGER PRIMARY KEY,
    id  TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE chain (
    chain BLOB    NOT NULL,
    seq   INTEGER NOT NULL,
    idx   INTEGER NOT NULL,
    PRIMARY KEY (chain, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE agent (
    did         TEXT    PRIMARY KEY,
    capsules    INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
