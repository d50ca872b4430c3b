-- Derived state of version 2: what the records in the log say. Made again by a rebuild.

CREATE TABLE key (
    agent      TEXT    NOT NULL,
    number     INTEGER NOT NULL,
    public_key TEXT    NOT NULL,
    idx        INTEGER NOT NULL,
    PRIMARY KEY (agent, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE compromise (
    agent    TEXT    NOT NULL,
    number   INTEGER NOT NULL,
    from_idx INTEGER NOT NULL,
    idx      INTEGER NOT NULL,
    PRIMARY KEY (agent, number, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE redacted (
    idx    INTEGER PRIMARY KEY,
    record INTEGER NOT NULL
) STRICT;

CREATE TABLE forgotten (
    world  TEXT    NOT NULL,
    actor  TEXT    NOT NULL,
    record INTEGER NOT NULL,
    PRIMARY KEY (world, actor)
) STRICT, WITHOUT ROWID;

CREATE TABLE receipt (
    idx      INTEGER PRIMARY KEY,
    name     TEXT    NOT NULL,
    manifest BLOB    NOT NULL,
    count    INTEGER NOT NULL,
    first    INTEGER,
    last     INTEGER
) STRICT;
CREATE INDEX receipt_manifest ON receipt (manifest);

CREATE TABLE resolution (
    chain  BLOB    NOT NULL,
    seq    INTEGER NOT NULL,
    keep   BLOB    NOT NULL,
    record INTEGER NOT NULL,
    PRIMARY KEY (chain, seq)
) STRICT, WITHOUT ROWID;

-- Where a capsule stands, by the first 8 bytes of its hash.
CREATE TABLE sealed (
    tag INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    PRIMARY KEY (tag, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE abandoned (
    hash  BLOB    PRIMARY KEY,
    chain BLOB    NOT NULL,
    idx   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
