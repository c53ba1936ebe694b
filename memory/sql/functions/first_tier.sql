-- The tier of a new chunk. Promotion does not exist yet, so chunks stay in this tier. Promotions will be recorded, and
-- this is where their fold begins: the tier always follows from the record.
CREATE OR REPLACE FUNCTION first_tier() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 'task' $$;

ALTER FUNCTION first_tier OWNER TO suture_gate;
