-- Version 2: chains by deltas, erasure, archives, and what was received or refused.
-- A capsule may become a stub, a body may be taken away; nothing that was said is changed.

CREATE TABLE capsule_2 (
    idx         INTEGER PRIMARY KEY,
    header      TEXT,
    signature   BLOB    CHECK (length(signature) = 64),
    field_root  BLOB    CHECK (length(field_root) = 32),
    field_count INTEGER CHECK (field_count > 0),
    CHECK ((header IS NULL) = (signature IS NULL)
       AND (header IS NULL) = (field_root IS NULL)
       AND (header IS NULL) = (field_count IS NULL))
) STRICT;
INSERT INTO capsule_2 SELECT idx, header, signature, field_root, field_count FROM capsule;

CREATE TABLE body_2 (
    idx        INTEGER PRIMARY KEY REFERENCES capsule_2 (idx),
    payload    ANY  CHECK (typeof(payload) IN ('text', 'blob', 'null')),
    salt       BLOB CHECK (length(salt) = 32),
    delta      ANY  CHECK (typeof(delta) IN ('text', 'blob', 'null')),
    delta_salt BLOB CHECK (length(delta_salt) = 32),
    CHECK (payload IS NULL OR salt IS NOT NULL),
    CHECK ((delta IS NULL) = (delta_salt IS NULL))
) STRICT;
INSERT INTO body_2 SELECT idx, payload, salt, delta, delta_salt FROM body;

CREATE TABLE log_2 (
    idx    INTEGER PRIMARY KEY REFERENCES capsule_2 (idx),
    hashes BLOB NOT NULL CHECK (length(hashes) >= 32 AND length(hashes) % 32 = 0)
) STRICT;
INSERT INTO log_2 SELECT idx, hashes FROM log;

DROP TABLE log;
DROP TABLE body;
DROP TABLE capsule;
ALTER TABLE capsule_2 RENAME TO capsule;
ALTER TABLE body_2 RENAME TO body;
ALTER TABLE log_2 RENAME TO log;

-- What is left of a capsule that was moved into an archive: enough to check its chain.
CREATE TABLE stub (
    idx       INTEGER PRIMARY KEY REFERENCES capsule (idx),
    agent     TEXT    NOT NULL,
    chain     BLOB    NOT NULL CHECK (length(chain) = 16),
    seq       INTEGER NOT NULL CHECK (seq >= 0),
    hash      BLOB    NOT NULL CHECK (length(hash) = 32),
    mutation  BLOB    CHECK (length(mutation) = 32),
    timestamp INTEGER NOT NULL,
    kind      TEXT,
    world     TEXT,
    receipt   INTEGER NOT NULL REFERENCES capsule (idx)
) STRICT;

-- Entries that were sealed elsewhere.
CREATE TABLE received (
    idx    INTEGER PRIMARY KEY REFERENCES capsule (idx),
    source TEXT    NOT NULL,
    at     INTEGER NOT NULL
) STRICT;

-- Capsules that are not accepted: not decidable yet, or refused. The only rows that are collected.
CREATE TABLE held (
    hash     BLOB    PRIMARY KEY CHECK (length(hash) = 32),
    capsule  BLOB    CHECK (length(capsule) = 32),
    class    TEXT    NOT NULL CHECK (class IN ('pending', 'quarantine')),
    agent    TEXT,
    chain    BLOB,
    seq      INTEGER,
    document TEXT    NOT NULL,
    code     TEXT    NOT NULL,
    source   TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    program  TEXT    NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX held_source ON held (class, source, octet_length(document));
CREATE INDEX held_agent ON held (class, agent, code, octet_length(document));
CREATE INDEX held_capsule ON held (capsule);
CREATE INDEX held_chain ON held (chain, seq);
CREATE INDEX held_code ON held (code, agent);

-- What was collected: the trace that it leaves.
CREATE TABLE collected (
    hash BLOB    NOT NULL CHECK (length(hash) = 32),
    code TEXT    NOT NULL,
    at   INTEGER NOT NULL
) STRICT;

-- The branches of a fork beside the accepted one.
CREATE TABLE fork (
    hash     BLOB    PRIMARY KEY CHECK (length(hash) = 32),
    agent    TEXT    NOT NULL,
    chain    BLOB    NOT NULL CHECK (length(chain) = 16),
    seq      INTEGER NOT NULL,
    previous BLOB    CHECK (length(previous) = 32),
    document TEXT    NOT NULL,
    source   TEXT    NOT NULL,
    at       INTEGER NOT NULL
) STRICT;
CREATE INDEX fork_chain ON fork (chain, seq, octet_length(document));
CREATE INDEX fork_previous ON fork (previous);

-- Contradictions that were seen here, and how often each.
CREATE TABLE event (
    id       INTEGER PRIMARY KEY,
    dedupe   BLOB    NOT NULL UNIQUE CHECK (length(dedupe) = 32),
    at       INTEGER NOT NULL,
    kind     TEXT    NOT NULL,
    source   TEXT    NOT NULL,
    document TEXT    NOT NULL CHECK (length(document) <= 65536)
) STRICT;
CREATE INDEX event_source ON event (source, at);
CREATE TABLE event_count (
    id    INTEGER PRIMARY KEY REFERENCES event (id),
    count INTEGER NOT NULL CHECK (count > 0),
    last  INTEGER NOT NULL
) STRICT;

CREATE TRIGGER capsule_grows_at_its_end BEFORE INSERT ON capsule
WHEN NEW.idx IS NOT (SELECT coalesce(max(idx) + 1, 0) FROM capsule) OR NEW.header IS NULL
BEGIN SELECT RAISE(ABORT, 'capsule is append-only'); END;
CREATE TRIGGER capsule_becomes_a_stub_or_comes_back BEFORE UPDATE ON capsule
WHEN NEW.idx IS NOT OLD.idx
  OR NOT EXISTS (SELECT 1 FROM stub WHERE stub.idx = OLD.idx)
  OR (OLD.header IS NOT NULL AND NEW.header IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'capsule is append-only'); END;
CREATE TRIGGER capsule_is_not_deleted BEFORE DELETE ON capsule
BEGIN SELECT RAISE(ABORT, 'capsule is append-only'); END;

CREATE TRIGGER body_grows_at_its_end BEFORE INSERT ON body
WHEN NEW.idx IS NOT (SELECT coalesce(max(idx) + 1, 0) FROM body)
BEGIN SELECT RAISE(ABORT, 'body is append-only'); END;
CREATE TRIGGER body_is_only_taken_away BEFORE UPDATE ON body
WHEN NOT EXISTS (SELECT 1 FROM stub WHERE stub.idx = OLD.idx) AND (
     NEW.idx IS NOT OLD.idx
  OR (NEW.salt IS NOT NULL AND NEW.salt IS NOT OLD.salt)
  OR (NEW.delta IS NOT NULL AND NEW.delta IS NOT OLD.delta)
  OR (NEW.delta_salt IS NOT NULL AND NEW.delta_salt IS NOT OLD.delta_salt)
  OR (NEW.payload IS NOT NULL AND OLD.payload IS NOT NULL AND NEW.payload IS NOT OLD.payload))
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

CREATE TRIGGER stub_is_not_updated BEFORE UPDATE ON stub
BEGIN SELECT RAISE(ABORT, 'stub is append-only'); END;
CREATE TRIGGER stub_goes_when_the_capsule_is_back BEFORE DELETE ON stub
WHEN (SELECT header FROM capsule WHERE capsule.idx = OLD.idx) IS NULL
BEGIN SELECT RAISE(ABORT, 'stub is append-only'); END;

CREATE TRIGGER received_is_not_updated BEFORE UPDATE ON received
BEGIN SELECT RAISE(ABORT, 'received is append-only'); END;
CREATE TRIGGER received_is_not_deleted BEFORE DELETE ON received
BEGIN SELECT RAISE(ABORT, 'received is append-only'); END;

CREATE TRIGGER held_leaves_a_trace BEFORE DELETE ON held
WHEN NOT EXISTS (SELECT 1 FROM collected WHERE collected.hash = OLD.hash)
 AND NOT EXISTS (SELECT 1 FROM fork WHERE fork.hash = OLD.capsule)
 AND NOT EXISTS (SELECT 1 FROM chain WHERE chain.chain = OLD.chain AND chain.seq = OLD.seq)
BEGIN SELECT RAISE(ABORT, 'what is held leaves a trace'); END;
CREATE TRIGGER collected_is_not_updated BEFORE UPDATE ON collected
BEGIN SELECT RAISE(ABORT, 'collected is append-only'); END;
CREATE TRIGGER collected_is_not_deleted BEFORE DELETE ON collected
BEGIN SELECT RAISE(ABORT, 'collected is append-only'); END;

CREATE TRIGGER fork_only_loses_bodies BEFORE UPDATE ON fork
WHEN NEW.hash IS NOT OLD.hash
  OR NEW.agent IS NOT OLD.agent
  OR NEW.chain IS NOT OLD.chain
  OR NEW.seq IS NOT OLD.seq
  OR NEW.previous IS NOT OLD.previous
  OR NEW.source IS NOT OLD.source
  OR NEW.at IS NOT OLD.at
  OR octet_length(NEW.document) >= octet_length(OLD.document)
BEGIN SELECT RAISE(ABORT, 'fork is append-only'); END;
CREATE TRIGGER fork_is_not_deleted BEFORE DELETE ON fork
BEGIN SELECT RAISE(ABORT, 'fork is append-only'); END;

CREATE TRIGGER event_is_not_updated BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'event is append-only'); END;
CREATE TRIGGER event_is_not_deleted BEFORE DELETE ON event
BEGIN SELECT RAISE(ABORT, 'event is append-only'); END;
CREATE TRIGGER event_count_only_grows BEFORE UPDATE ON event_count
WHEN NEW.count <= OLD.count OR NEW.id IS NOT OLD.id
BEGIN SELECT RAISE(ABORT, 'a count only grows'); END;
CREATE TRIGGER event_count_is_not_deleted BEFORE DELETE ON event_count
BEGIN SELECT RAISE(ABORT, 'a count only grows'); END;
