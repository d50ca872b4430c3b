-- Version 1. Described in docs/format/ground.md. `log_id` leads every key: it is the distribution column of engines that divide
-- tables. No function and no trigger is needed for safety.

CREATE TABLE counterfoil.log (
    log_id       bytea  NOT NULL CHECK (length(log_id) = 32),
    verifier_key text   NOT NULL,
    owner        text   NOT NULL DEFAULT current_user,
    number       bigint NOT NULL CHECK (number >= 0),
    id           text   NOT NULL,
    size         bigint NOT NULL CHECK (size >= 0),
    root         bytea  NOT NULL CHECK (length(root) = 32),
    checkpoint   text   NOT NULL,
    erased       bigint NOT NULL DEFAULT 0,
    settled      bigint NOT NULL DEFAULT 0,
    closed       boolean NOT NULL DEFAULT false,
    PRIMARY KEY (log_id)
);

CREATE TABLE counterfoil.commit (
    log_id bytea       NOT NULL,
    number bigint      NOT NULL,
    id     text        NOT NULL,
    size   bigint      NOT NULL,
    root   bytea       NOT NULL,
    node   text        NOT NULL,
    at     timestamptz NOT NULL DEFAULT current_timestamp,
    PRIMARY KEY (log_id, number)
);

CREATE TABLE counterfoil.entry (
    log_id bytea  NOT NULL,
    idx    bigint NOT NULL CHECK (idx >= 0),
    line   text   NOT NULL,
    PRIMARY KEY (log_id, idx)
);

CREATE TABLE counterfoil.beside (
    log_id bytea   NOT NULL,
    part   text    NOT NULL,
    key    text    NOT NULL,
    number bigint  NOT NULL,
    place  bigint  NOT NULL,
    gone   boolean NOT NULL,
    line   text    NOT NULL,
    PRIMARY KEY (log_id, part, key)
);
CREATE INDEX beside_by_commit ON counterfoil.beside (log_id, number, place);

CREATE TABLE counterfoil.node (
    log_id bytea       NOT NULL,
    name   text        NOT NULL,
    number bigint      NOT NULL,
    at     timestamptz NOT NULL DEFAULT current_timestamp,
    PRIMARY KEY (log_id, name)
);

-- Slots whose keys are to be destroyed, where keys have a database of their own.
CREATE TABLE counterfoil.condemned (
    log_id bytea NOT NULL,
    slot   text  NOT NULL,
    PRIMARY KEY (log_id, slot)
);
