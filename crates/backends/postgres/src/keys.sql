-- Version 1: keys of content, each wrapped under a key that is not here; none where it was destroyed.

CREATE TABLE counterfoil.content_key (
    log_id bytea NOT NULL,
    root   text  NOT NULL, -- the first two words of the slot
    slot   text  NOT NULL,
    key    bytea,
    PRIMARY KEY (log_id, root, slot)
);
