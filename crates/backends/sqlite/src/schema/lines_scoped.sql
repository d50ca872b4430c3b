-- Version 12: a line has a scope. Those that are there have the empty one.

DROP INDEX claim_rivalry;
ALTER TABLE claim_line RENAME TO claim_line_before;
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
INSERT INTO claim_line (
    agent, subject, predicate, line, units, last, newest, earliest, latest, registered, registered_number, one, many, tag,
    rivalry, present, levels, checked, scope
) SELECT
    agent, subject, predicate, line, units, last, newest, earliest, latest, registered, registered_number, one, many, tag,
    rivalry, present, levels, checked, ''
FROM claim_line_before;
DROP TABLE claim_line_before;
