-- Derived state of version 8: what the gate and the fold look claims up by, each row with a check of its columns. Made
-- again by a rebuild.

DROP TABLE IF EXISTS claim_agent;
DROP TABLE IF EXISTS claim_line;
DROP TABLE IF EXISTS claim_unit;
DROP TABLE IF EXISTS claim_named;
DROP TABLE IF EXISTS claim_start;
DROP TABLE IF EXISTS claim_until;
DROP TABLE IF EXISTS claim_key;
DROP TABLE IF EXISTS claim_pending;
DROP TABLE IF EXISTS claim_entry;

CREATE TABLE claim_agent (
    id      INTEGER PRIMARY KEY,
    did     TEXT    NOT NULL UNIQUE,
    latest  INTEGER NOT NULL,
    checked INTEGER NOT NULL
) STRICT;

CREATE TABLE claim_line (
    agent      INTEGER NOT NULL,
    subject    TEXT    NOT NULL,
    predicate  TEXT    NOT NULL,
    scope      TEXT    NOT NULL,
    line       INTEGER NOT NULL,
    units      INTEGER NOT NULL,
    last       INTEGER NOT NULL,
    newest     INTEGER NOT NULL,
    earliest   INTEGER NOT NULL,
    latest     INTEGER NOT NULL,
    registered INTEGER,
    registered_number INTEGER,
    one        INTEGER,
    many       INTEGER,
    tag        INTEGER,
    rivalry    INTEGER NOT NULL,
    present    INTEGER NOT NULL,
    levels     INTEGER NOT NULL,
    checked    INTEGER NOT NULL,
    PRIMARY KEY (agent, subject, predicate, scope)
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_rivalry ON claim_line (agent, subject, predicate, scope) WHERE rivalry = 2;

CREATE TABLE claim_unit (
    line    INTEGER NOT NULL,
    idx     INTEGER NOT NULL,
    gap     INTEGER NOT NULL,
    number  INTEGER NOT NULL,
    stamp   INTEGER NOT NULL,
    class   INTEGER NOT NULL,
    force   INTEGER NOT NULL,
    tag     INTEGER,
    start   INTEGER,
    until   INTEGER,
    registered INTEGER,
    changed    INTEGER,
    own_start  INTEGER,
    own_until  INTEGER,
    checked    INTEGER NOT NULL,
    PRIMARY KEY (line, idx)
) STRICT, WITHOUT ROWID;

-- Sorted lists by which the rows above are found; `next` is the check of the entry that follows. One entry lies before all
-- others, and one after them.
CREATE TABLE claim_entry (
    list INTEGER NOT NULL,
    a    INTEGER NOT NULL,
    b    INTEGER NOT NULL,
    c    INTEGER NOT NULL,
    d    INTEGER NOT NULL,
    next INTEGER NOT NULL,
    PRIMARY KEY (list, a, b, c, d)
) STRICT, WITHOUT ROWID;
INSERT INTO claim_entry VALUES (0, 0, 0, 0, 0, 1786254108), (9223372036854775807, 0, 0, 0, 0, 0);
