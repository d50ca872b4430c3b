-- Version 7, beside the log and never shipped: where commits go, which rows changed since, and which commits came.

CREATE TABLE ship (
    destination TEXT    PRIMARY KEY,
    stream      TEXT    NOT NULL CHECK (length(stream) = 32),
    number      INTEGER NOT NULL,
    size        INTEGER NOT NULL,
    change      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Keys of ground rows, each with the number of its last change. Filled while there is a destination.
CREATE TABLE outbox (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    part   TEXT    NOT NULL,
    first  ANY     NOT NULL,
    second ANY     NOT NULL,
    third  ANY     NOT NULL,
    UNIQUE (part, first, second, third)
) STRICT;

-- The last file of the stream that this store follows: it has no keys, and is not written to.
CREATE TABLE followed (
    id     INTEGER PRIMARY KEY CHECK (id = 0),
    stream TEXT    NOT NULL CHECK (length(stream) = 32),
    number INTEGER NOT NULL
) STRICT;
