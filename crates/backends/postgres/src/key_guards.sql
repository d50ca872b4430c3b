-- The database of keys may be another one, which knows no logs: there the owner is named in each row.

ALTER TABLE counterfoil.content_key ADD COLUMN owner text NOT NULL DEFAULT current_user;
ALTER TABLE counterfoil.content_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE counterfoil.content_key FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON counterfoil.content_key USING (owner = current_user) WITH CHECK (owner = current_user);
