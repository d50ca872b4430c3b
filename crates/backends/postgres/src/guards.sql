-- Second locks, where the engine has them: each role sees its own logs alone, and nothing that proves something goes.

ALTER TABLE counterfoil.log ENABLE ROW LEVEL SECURITY;
ALTER TABLE counterfoil.log FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON counterfoil.log USING (owner = current_user) WITH CHECK (owner = current_user);

ALTER TABLE counterfoil.commit ENABLE ROW LEVEL SECURITY;
ALTER TABLE counterfoil.commit FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON counterfoil.commit USING (log_id IN (SELECT log_id FROM counterfoil.log));

ALTER TABLE counterfoil.entry ENABLE ROW LEVEL SECURITY;
ALTER TABLE counterfoil.entry FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON counterfoil.entry USING (log_id IN (SELECT log_id FROM counterfoil.log));

ALTER TABLE counterfoil.beside ENABLE ROW LEVEL SECURITY;
ALTER TABLE counterfoil.beside FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON counterfoil.beside USING (log_id IN (SELECT log_id FROM counterfoil.log));

ALTER TABLE counterfoil.node ENABLE ROW LEVEL SECURITY;
ALTER TABLE counterfoil.node FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON counterfoil.node USING (log_id IN (SELECT log_id FROM counterfoil.log));

ALTER TABLE counterfoil.condemned ENABLE ROW LEVEL SECURITY;
ALTER TABLE counterfoil.condemned FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON counterfoil.condemned USING (log_id IN (SELECT log_id FROM counterfoil.log));

CREATE FUNCTION counterfoil.refuse() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$;

CREATE TRIGGER entry_is_not_deleted BEFORE DELETE ON counterfoil.entry
FOR EACH ROW EXECUTE FUNCTION counterfoil.refuse();
CREATE TRIGGER entry_is_not_emptied BEFORE TRUNCATE ON counterfoil.entry
FOR EACH STATEMENT EXECUTE FUNCTION counterfoil.refuse();
CREATE TRIGGER entry_keeps_its_place BEFORE UPDATE OF log_id, idx ON counterfoil.entry
FOR EACH ROW EXECUTE FUNCTION counterfoil.refuse();
CREATE TRIGGER commit_is_not_changed BEFORE UPDATE OR DELETE ON counterfoil.commit
FOR EACH ROW EXECUTE FUNCTION counterfoil.refuse();
CREATE TRIGGER commit_is_not_emptied BEFORE TRUNCATE ON counterfoil.commit
FOR EACH STATEMENT EXECUTE FUNCTION counterfoil.refuse();
CREATE TRIGGER log_only_grows BEFORE UPDATE ON counterfoil.log
FOR EACH ROW WHEN (NEW.size < OLD.size OR NEW.number < OLD.number OR NEW.verifier_key <> OLD.verifier_key)
EXECUTE FUNCTION counterfoil.refuse();
CREATE TRIGGER log_is_not_deleted BEFORE DELETE ON counterfoil.log
FOR EACH ROW EXECUTE FUNCTION counterfoil.refuse();
