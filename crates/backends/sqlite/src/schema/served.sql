-- Headers of claim units stand in frames: as texts they are the larger part of a claim.
ALTER TABLE capsule ADD COLUMN packed BLOB CHECK (packed IS NULL OR header IS '');

-- In versions 3 and 4, beside the log, without proof: which claims were handed out, and what came back of them.
-- Rows are added and counted up; they go only with the content of their claim.

CREATE TABLE claim_served (
    said  INTEGER NOT NULL,
    idx   INTEGER NOT NULL REFERENCES capsule (idx),
    first INTEGER NOT NULL,
    times INTEGER NOT NULL CHECK (times > 0),
    PRIMARY KEY (said, idx)
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_served_at ON claim_served (idx);

CREATE TABLE claim_re_entry (
    said  INTEGER NOT NULL,
    at    INTEGER NOT NULL,
    times INTEGER NOT NULL CHECK (times > 0),
    PRIMARY KEY (said, at)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER claim_served_only_grows BEFORE UPDATE ON claim_served
WHEN NEW.said IS NOT OLD.said OR NEW.idx IS NOT OLD.idx OR NEW.first IS NOT OLD.first OR NEW.times <= OLD.times
BEGIN SELECT RAISE(ABORT, 'a count only grows'); END;
CREATE TRIGGER claim_served_goes_with_its_claim BEFORE DELETE ON claim_served
WHEN NOT EXISTS (SELECT 1 FROM body WHERE body.idx = OLD.idx AND body.payload IS NULL AND body.salt IS NULL)
BEGIN SELECT RAISE(ABORT, 'what was handed out stays known'); END;
CREATE TRIGGER claim_re_entry_only_grows BEFORE UPDATE ON claim_re_entry
WHEN NEW.said IS NOT OLD.said OR NEW.at < OLD.at OR NEW.times <= OLD.times
BEGIN SELECT RAISE(ABORT, 'a count only grows'); END;
CREATE TRIGGER claim_re_entry_goes_with_what_was_served BEFORE DELETE ON claim_re_entry
WHEN EXISTS (SELECT 1 FROM claim_served WHERE claim_served.said = OLD.said)
BEGIN SELECT RAISE(ABORT, 'a count only grows'); END;

-- Erased units, each with its number and another unit of its line: the line goes on after the highest number.
CREATE TABLE claim_erased (
    idx    INTEGER PRIMARY KEY REFERENCES capsule (idx),
    number INTEGER NOT NULL,
    beside INTEGER NOT NULL REFERENCES capsule (idx)
) STRICT;
CREATE TRIGGER claim_erased_is_of_what_is_gone BEFORE INSERT ON claim_erased
WHEN NOT EXISTS (SELECT 1 FROM body WHERE body.idx = NEW.idx AND body.payload IS NULL AND body.salt IS NULL)
BEGIN SELECT RAISE(ABORT, 'claim_erased is of what is gone'); END;
CREATE TRIGGER claim_erased_is_not_updated BEFORE UPDATE ON claim_erased
BEGIN SELECT RAISE(ABORT, 'claim_erased is append-only'); END;
CREATE TRIGGER claim_erased_is_not_deleted BEFORE DELETE ON claim_erased
BEGIN SELECT RAISE(ABORT, 'claim_erased is append-only'); END;
