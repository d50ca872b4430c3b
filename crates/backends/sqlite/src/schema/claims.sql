-- Derived state of version 3: what the gate and the fold look claims up by. Made again by a rebuild.

CREATE TABLE claim_agent (
    id     INTEGER PRIMARY KEY,
    did    TEXT    NOT NULL UNIQUE,
    latest INTEGER NOT NULL
) STRICT;

CREATE TABLE claim_line (
    agent      INTEGER NOT NULL,
    subject    TEXT    NOT NULL,
    predicate  TEXT    NOT NULL,
    line       INTEGER NOT NULL,
    units      INTEGER NOT NULL,
    last       INTEGER NOT NULL,
    earliest   INTEGER NOT NULL,
    latest     INTEGER NOT NULL,
    registered INTEGER,
    registered_number INTEGER,
    one        INTEGER,
    many       INTEGER,
    tag        INTEGER,
    rivalry    INTEGER NOT NULL,
    present    INTEGER NOT NULL,
    levels     INTEGER,
    PRIMARY KEY (agent, subject, predicate)
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_rivalry ON claim_line (agent, subject, predicate) WHERE rivalry = 2;

CREATE TABLE claim_unit (
    line    INTEGER NOT NULL,
    idx     INTEGER NOT NULL,
    agent   INTEGER NOT NULL,
    number  INTEGER NOT NULL,
    stamp   INTEGER NOT NULL,
    kind    INTEGER NOT NULL,
    class   INTEGER NOT NULL,
    force   INTEGER NOT NULL,
    tag     INTEGER,
    start   INTEGER,
    until   INTEGER,
    registered INTEGER,
    changed    INTEGER,
    own_start  INTEGER,
    own_until  INTEGER,
    PRIMARY KEY (line, idx)
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_at ON claim_unit (idx);
CREATE INDEX claim_value ON claim_unit (line, tag) WHERE tag IS NOT NULL;

-- Which units name a claim, by the first 8 bytes of a hash of its name.
CREATE TABLE claim_named (
    tag INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    PRIMARY KEY (tag, idx)
) STRICT, WITHOUT ROWID;

-- Effective windows of claims in force, on lines of many units, at the nodes of an interval tree.
CREATE TABLE claim_start (
    line  INTEGER NOT NULL,
    node  INTEGER NOT NULL,
    start INTEGER NOT NULL,
    idx   INTEGER NOT NULL,
    PRIMARY KEY (line, node, start, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE claim_until (
    line  INTEGER NOT NULL,
    node  INTEGER NOT NULL,
    until INTEGER NOT NULL,
    idx   INTEGER NOT NULL,
    PRIMARY KEY (line, node, until, idx)
) STRICT, WITHOUT ROWID;

-- Units that were written under an idempotency key, by the first 8 bytes of a hash of it.
CREATE TABLE claim_key (
    agent INTEGER NOT NULL,
    tag   INTEGER NOT NULL,
    idx   INTEGER NOT NULL,
    PRIMARY KEY (agent, tag, idx)
) STRICT, WITHOUT ROWID;

-- Claims that were queued for a verdict and have none.
CREATE TABLE claim_pending (
    agent INTEGER NOT NULL,
    idx   INTEGER NOT NULL,
    PRIMARY KEY (agent, idx)
) STRICT, WITHOUT ROWID;
