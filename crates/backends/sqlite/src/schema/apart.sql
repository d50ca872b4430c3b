-- Version 8: sealed stores, whose index of words and whose keys lie in files of their own (docs/format/database.md).

-- Slots whose content is gone and whose keys are to be destroyed.
CREATE TABLE to_destroy (
    slot TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- What goes into an archive comes back under its key.
CREATE TRIGGER body_loses_its_key AFTER UPDATE ON body
WHEN ((OLD.salt IS NOT NULL AND NEW.salt IS NULL) OR (OLD.delta_salt IS NOT NULL AND NEW.delta_salt IS NULL))
  AND NOT EXISTS (SELECT 1 FROM stub WHERE stub.idx = NEW.idx)
BEGIN INSERT OR IGNORE INTO to_destroy VALUES ('entry/' || NEW.idx || iif(NEW.salt IS NULL, '', '/delta')); END;
CREATE TRIGGER held_loses_its_key AFTER DELETE ON held
BEGIN INSERT OR IGNORE INTO to_destroy VALUES ('held/' || hex(OLD.hash) || '/' || OLD.at); END;
CREATE TRIGGER fork_loses_its_key AFTER UPDATE ON fork
BEGIN INSERT OR IGNORE INTO to_destroy VALUES ('fork/' || hex(OLD.hash)); END;
CREATE TRIGGER exchange_answer_loses_its_key AFTER UPDATE ON exchange_answer
BEGIN INSERT OR IGNORE INTO to_destroy VALUES ('exchange_answer/' || OLD.exchange || '/' || OLD.number); END;
CREATE TRIGGER exchange_item_loses_its_key AFTER UPDATE ON exchange_item
BEGIN INSERT OR IGNORE INTO to_destroy VALUES ('exchange_item/' || OLD.exchange || '/' || OLD.item || '/' || OLD.number); END;
