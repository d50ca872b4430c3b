-- Version 8: the journal, one chain of hashes over the rows of evidence. Unused places of a key are 0.

CREATE TABLE journal (
    number INTEGER PRIMARY KEY,
    part   TEXT    NOT NULL,
    first  ANY     NOT NULL,
    second ANY     NOT NULL,
    third  ANY     NOT NULL,
    words  BLOB    CHECK (length(words) = 32),
    link   BLOB    NOT NULL CHECK (length(link) = 32),
    UNIQUE (part, first, second, third)
) STRICT;

CREATE TRIGGER journal_grows_at_its_end BEFORE INSERT ON journal
WHEN NEW.number IS NOT (SELECT coalesce(max(number) + 1, 0) FROM journal)
BEGIN SELECT RAISE(ABORT, 'journal is append-only'); END;
CREATE TRIGGER journal_is_not_updated BEFORE UPDATE ON journal
BEGIN SELECT RAISE(ABORT, 'journal is append-only'); END;
CREATE TRIGGER journal_is_not_deleted BEFORE DELETE ON journal
BEGIN SELECT RAISE(ABORT, 'journal is append-only'); END;
