-- Derived state of version 8: records of what the agent decided about others. Made again by a rebuild.

CREATE TABLE trust (
    idx INTEGER PRIMARY KEY
) STRICT;

CREATE TABLE trust_document (
    hash BLOB    PRIMARY KEY,
    idx  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
