-- Version 8, beside the log and never shipped: the keys of a destination, and what cannot be opened any more.

ALTER TABLE ship ADD COLUMN keys TEXT;
ALTER TABLE ship ADD COLUMN since INTEGER NOT NULL DEFAULT 0;

-- Entries, and rows by the first column of their key, of which a key was destroyed before a commit that says that they are
-- erased.
CREATE TABLE unopened (
    part TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (part, number)
) STRICT, WITHOUT ROWID;
