-- Ground state: what was said, and the log that proves it. Rows are added and never changed;
-- only the head moves. Described byte by byte in docs/format/database.md.

CREATE TABLE capsule (
    idx         INTEGER PRIMARY KEY,
    header      TEXT    NOT NULL,
    signature   BLOB    NOT NULL CHECK (length(signature) = 64),
    field_root  BLOB    NOT NULL CHECK (length(field_root) = 32),
    field_count INTEGER NOT NULL CHECK (field_count > 0)
) STRICT;

CREATE TABLE body (
    idx        INTEGER PRIMARY KEY REFERENCES capsule (idx),
    payload    TEXT NOT NULL,
    salt       BLOB NOT NULL CHECK (length(salt) = 32),
    delta      TEXT,
    delta_salt BLOB CHECK (length(delta_salt) = 32),
    CHECK ((delta IS NULL) = (delta_salt IS NULL))
) STRICT;

CREATE TABLE log (
    idx    INTEGER PRIMARY KEY REFERENCES capsule (idx),
    hashes BLOB NOT NULL CHECK (length(hashes) >= 32 AND length(hashes) % 32 = 0)
) STRICT;

CREATE TABLE origin (
    id           INTEGER PRIMARY KEY CHECK (id = 0),
    verifier_key TEXT NOT NULL
) STRICT;

CREATE TABLE head (
    id         INTEGER PRIMARY KEY CHECK (id = 0),
    size       INTEGER NOT NULL CHECK (size >= 0),
    checkpoint TEXT    NOT NULL
) STRICT;

CREATE TRIGGER capsule_grows_at_its_end BEFORE INSERT ON capsule
WHEN NEW.idx IS NOT (SELECT coalesce(max(idx) + 1, 0) FROM capsule)
BEGIN SELECT RAISE(ABORT, 'capsule is append-only'); END;
CREATE TRIGGER capsule_is_not_updated BEFORE UPDATE ON capsule
BEGIN SELECT RAISE(ABORT, 'capsule is append-only'); END;
CREATE TRIGGER capsule_is_not_deleted BEFORE DELETE ON capsule
BEGIN SELECT RAISE(ABORT, 'capsule is append-only'); END;

CREATE TRIGGER body_grows_at_its_end BEFORE INSERT ON body
WHEN NEW.idx IS NOT (SELECT coalesce(max(idx) + 1, 0) FROM body)
BEGIN SELECT RAISE(ABORT, 'body is append-only'); END;
CREATE TRIGGER body_is_not_updated BEFORE UPDATE ON body
BEGIN SELECT RAISE(ABORT, 'body is append-only'); END;
CREATE TRIGGER body_is_not_deleted BEFORE DELETE ON body
BEGIN SELECT RAISE(ABORT, 'body is append-only'); END;

CREATE TRIGGER log_grows_at_its_end BEFORE INSERT ON log
WHEN NEW.idx IS NOT (SELECT coalesce(max(idx) + 1, 0) FROM log)
BEGIN SELECT RAISE(ABORT, 'log is append-only'); END;
CREATE TRIGGER log_is_not_updated BEFORE UPDATE ON log
BEGIN SELECT RAISE(ABORT, 'log is append-only'); END;
CREATE TRIGGER log_is_not_deleted BEFORE DELETE ON log
BEGIN SELECT RAISE(ABORT, 'log is append-only'); END;

CREATE TRIGGER origin_is_set_once BEFORE INSERT ON origin
WHEN EXISTS (SELECT 1 FROM origin)
BEGIN SELECT RAISE(ABORT, 'origin is set once'); END;
CREATE TRIGGER origin_is_not_updated BEFORE UPDATE ON origin
BEGIN SELECT RAISE(ABORT, 'origin is set once'); END;
CREATE TRIGGER origin_is_not_deleted BEFORE DELETE ON origin
BEGIN SELECT RAISE(ABORT, 'origin is set once'); END;

CREATE TRIGGER head_is_one BEFORE INSERT ON head
WHEN EXISTS (SELECT 1 FROM head)
BEGIN SELECT RAISE(ABORT, 'there is one head'); END;
CREATE TRIGGER head_only_grows BEFORE UPDATE ON head
WHEN NEW.size <= OLD.size OR NEW.id <> OLD.id
BEGIN SELECT RAISE(ABORT, 'the head only grows'); END;
CREATE TRIGGER head_is_not_deleted BEFORE DELETE ON head
BEGIN SELECT RAISE(ABORT, 'there is one head'); END;
