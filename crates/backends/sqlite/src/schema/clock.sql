-- Derived state of version 6: corrections of the clock that were sealed here, and the times of agents whose clock was
-- corrected. Made again by a rebuild.

CREATE TABLE correction (
    idx      INTEGER PRIMARY KEY,
    agent    TEXT    NOT NULL,
    observed INTEGER NOT NULL
) STRICT;

-- When the last capsule of an agent was recorded, if its header has another time.
CREATE TABLE observed (
    did TEXT    PRIMARY KEY,
    at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
