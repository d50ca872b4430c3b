-- Derived state of version 8: a capsule is found by its hash where its chain has it, and an agent has all its times in one
-- row. Made again by a rebuild.

-- The first 8 bytes of a capsule's hash.
ALTER TABLE chain ADD COLUMN tag INTEGER;
UPDATE chain SET tag = sealed.tag FROM sealed WHERE sealed.idx = chain.idx;
DROP TABLE sealed;

-- When the last capsule of an agent was recorded, if its header has another time.
ALTER TABLE agent ADD COLUMN observed INTEGER;
UPDATE agent SET observed = observed.at FROM observed WHERE observed.did = agent.did;
DROP TABLE observed;
