-- Version 4: what is kept of exchanges with other agents, beside the log and without proof.
-- Rows are added; what was answered goes only with the content of a memory that came with it, and requests once their time is past.

CREATE TABLE trust_record (
    number   INTEGER PRIMARY KEY,
    hash     BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    at       INTEGER NOT NULL,
    document BLOB    NOT NULL CHECK (length(document) <= 65536)
) STRICT;

CREATE TABLE exchange (
    number  INTEGER PRIMARY KEY,
    id      TEXT    NOT NULL UNIQUE CHECK (length(id) = 36),
    request BLOB    NOT NULL CHECK (length(request) <= 1048576),
    peer    BLOB    CHECK (length(peer) = 32),
    address TEXT    NOT NULL CHECK (octet_length(address) <= 4096),
    terms   TEXT    NOT NULL CHECK (octet_length(terms) <= 1048576),
    at      INTEGER NOT NULL
) STRICT;
CREATE INDEX exchange_at ON exchange (at);

CREATE TABLE exchange_transition (
    exchange INTEGER NOT NULL REFERENCES exchange (number),
    number   INTEGER NOT NULL CHECK (number BETWEEN 0 AND 9999),
    before   TEXT    NOT NULL,
    event    TEXT    NOT NULL,
    after    TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    evidence BLOB    CHECK (length(evidence) = 32),
    deadline INTEGER,
    PRIMARY KEY (exchange, number)
) STRICT, WITHOUT ROWID;

-- Of an answer whose document is gone only the hash is left.
CREATE TABLE exchange_answer (
    exchange INTEGER NOT NULL REFERENCES exchange (number),
    number   INTEGER NOT NULL CHECK (number BETWEEN 0 AND 3),
    hash     BLOB    NOT NULL CHECK (length(hash) = 32),
    document BLOB    CHECK (length(document) <= 1048576),
    PRIMARY KEY (exchange, number),
    UNIQUE (exchange, hash)
) STRICT;

-- One row each time that something became of a memory; the last one counts. Of a report that is gone nothing is left.
CREATE TABLE exchange_item (
    exchange INTEGER NOT NULL REFERENCES exchange (number),
    item     INTEGER NOT NULL CHECK (item BETWEEN 0 AND 999),
    number   INTEGER NOT NULL CHECK (number BETWEEN 0 AND 255),
    state    TEXT    NOT NULL,
    world    TEXT,
    claim    BLOB    NOT NULL CHECK (length(claim) = 32),
    report   TEXT    CHECK (octet_length(report) <= 1048576),
    at       INTEGER NOT NULL,
    PRIMARY KEY (exchange, item, number)
) STRICT;
CREATE INDEX exchange_item_world ON exchange_item (world) WHERE world IS NOT NULL;
CREATE INDEX exchange_item_claim ON exchange_item (claim);

-- How often a claim was heard, and where it is stored if it is.
CREATE TABLE claim_heard (
    claim BLOB    PRIMARY KEY CHECK (length(claim) = 32),
    world TEXT,
    first INTEGER NOT NULL,
    last  INTEGER NOT NULL,
    times INTEGER NOT NULL CHECK (times > 0)
) STRICT, WITHOUT ROWID;

-- Requests that were heard, until their time is past.
CREATE TABLE request_seen (
    agent BLOB    NOT NULL CHECK (length(agent) = 32),
    id    TEXT    NOT NULL CHECK (length(id) = 36),
    hash  BLOB    NOT NULL CHECK (length(hash) = 32),
    until INTEGER NOT NULL,
    PRIMARY KEY (agent, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX request_seen_until ON request_seen (until);

-- How many of them there are of each key, and of all under the empty one.
CREATE TABLE request_seen_count (
    agent BLOB    PRIMARY KEY CHECK (length(agent) IN (0, 32)),
    times INTEGER NOT NULL CHECK (times >= 0)
) STRICT, WITHOUT ROWID;
INSERT INTO request_seen_count (agent, times) VALUES (x'', 0);

CREATE TABLE exchange_secret (
    id     INTEGER PRIMARY KEY CHECK (id = 0),
    secret BLOB    NOT NULL CHECK (length(secret) = 32)
) STRICT;

CREATE TRIGGER trust_record_grows_at_its_end BEFORE INSERT ON trust_record
WHEN NEW.number IS NOT (SELECT coalesce(max(number) + 1, 0) FROM trust_record) OR NEW.number >= 200000
BEGIN SELECT RAISE(ABORT, 'trust_record is append-only'); END;
CREATE TRIGGER trust_record_is_not_updated BEFORE UPDATE ON trust_record
BEGIN SELECT RAISE(ABORT, 'trust_record is append-only'); END;
CREATE TRIGGER trust_record_is_not_deleted BEFORE DELETE ON trust_record
BEGIN SELECT RAISE(ABORT, 'trust_record is append-only'); END;

CREATE TRIGGER exchange_grows_at_its_end BEFORE INSERT ON exchange
WHEN NEW.number IS NOT (SELECT coalesce(max(number) + 1, 0) FROM exchange)
BEGIN SELECT RAISE(ABORT, 'exchange is append-only'); END;
CREATE TRIGGER exchange_is_not_updated BEFORE UPDATE ON exchange
BEGIN SELECT RAISE(ABORT, 'exchange is append-only'); END;
CREATE TRIGGER exchange_is_not_deleted BEFORE DELETE ON exchange
BEGIN SELECT RAISE(ABORT, 'exchange is append-only'); END;

CREATE TRIGGER exchange_transition_grows_at_its_end BEFORE INSERT ON exchange_transition
WHEN NEW.number IS NOT (SELECT coalesce(max(number) + 1, 0) FROM exchange_transition WHERE exchange = NEW.exchange)
BEGIN SELECT RAISE(ABORT, 'exchange_transition is append-only'); END;
CREATE TRIGGER exchange_transition_is_not_updated BEFORE UPDATE ON exchange_transition
BEGIN SELECT RAISE(ABORT, 'exchange_transition is append-only'); END;
CREATE TRIGGER exchange_transition_is_not_deleted BEFORE DELETE ON exchange_transition
BEGIN SELECT RAISE(ABORT, 'exchange_transition is append-only'); END;

CREATE TRIGGER exchange_answer_grows_at_its_end BEFORE INSERT ON exchange_answer
WHEN NEW.number IS NOT (SELECT coalesce(max(number) + 1, 0) FROM exchange_answer WHERE exchange = NEW.exchange)
  OR NEW.document IS NULL
BEGIN SELECT RAISE(ABORT, 'exchange_answer is append-only'); END;
CREATE TRIGGER exchange_answer_is_only_taken_away BEFORE UPDATE ON exchange_answer
WHEN NEW.exchange IS NOT OLD.exchange OR NEW.number IS NOT OLD.number OR NEW.hash IS NOT OLD.hash
  OR NEW.document IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'exchange_answer is append-only'); END;
CREATE TRIGGER exchange_answer_is_not_deleted BEFORE DELETE ON exchange_answer
BEGIN SELECT RAISE(ABORT, 'exchange_answer is append-only'); END;

CREATE TRIGGER exchange_item_grows_at_its_end BEFORE INSERT ON exchange_item
WHEN NEW.number IS NOT (SELECT coalesce(max(number) + 1, 0) FROM exchange_item
                        WHERE exchange = NEW.exchange AND item = NEW.item)
  OR NEW.report IS NULL
BEGIN SELECT RAISE(ABORT, 'exchange_item is append-only'); END;
CREATE TRIGGER exchange_item_is_only_taken_away BEFORE UPDATE ON exchange_item
WHEN NEW.exchange IS NOT OLD.exchange OR NEW.item IS NOT OLD.item OR NEW.number IS NOT OLD.number
  OR NEW.state IS NOT OLD.state OR NEW.world IS NOT OLD.world OR NEW.claim IS NOT OLD.claim
  OR NEW.at IS NOT OLD.at OR NEW.report IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'exchange_item is append-only'); END;
CREATE TRIGGER exchange_item_is_not_deleted BEFORE DELETE ON exchange_item
BEGIN SELECT RAISE(ABORT, 'exchange_item is append-only'); END;

CREATE TRIGGER claim_heard_only_grows BEFORE UPDATE ON claim_heard
WHEN NEW.claim IS NOT OLD.claim OR NEW.first IS NOT OLD.first OR NEW.last < OLD.last OR NEW.times <= OLD.times
  OR (OLD.world IS NOT NULL AND NEW.world IS NOT OLD.world)
BEGIN SELECT RAISE(ABORT, 'a count only grows'); END;
CREATE TRIGGER claim_heard_is_not_deleted BEFORE DELETE ON claim_heard
BEGIN SELECT RAISE(ABORT, 'a count only grows'); END;

CREATE TRIGGER request_seen_is_not_replaced BEFORE INSERT ON request_seen
WHEN EXISTS (SELECT 1 FROM request_seen WHERE agent = NEW.agent AND id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'what was asked stays known'); END;
CREATE TRIGGER request_seen_is_not_updated BEFORE UPDATE ON request_seen
BEGIN SELECT RAISE(ABORT, 'what was asked stays known'); END;
CREATE TRIGGER request_seen_is_counted AFTER INSERT ON request_seen
BEGIN
    UPDATE request_seen_count SET times = times + 1 WHERE agent = x'';
    INSERT INTO request_seen_count (agent, times) VALUES (NEW.agent, 1)
    ON CONFLICT (agent) DO UPDATE SET times = times + 1;
END;
CREATE TRIGGER request_seen_is_counted_off AFTER DELETE ON request_seen
BEGIN
    UPDATE request_seen_count SET times = times - 1 WHERE agent IN (x'', OLD.agent);
    DELETE FROM request_seen_count WHERE agent = OLD.agent AND times = 0;
END;

CREATE TRIGGER exchange_secret_is_set_once BEFORE INSERT ON exchange_secret
WHEN EXISTS (SELECT 1 FROM exchange_secret)
BEGIN SELECT RAISE(ABORT, 'the secret is set once'); END;
CREATE TRIGGER exchange_secret_is_not_updated BEFORE UPDATE ON exchange_secret
BEGIN SELECT RAISE(ABORT, 'the secret is set once'); END;
CREATE TRIGGER exchange_secret_is_not_deleted BEFORE DELETE ON exchange_secret
BEGIN SELECT RAISE(ABORT, 'the secret is set once'); END;
