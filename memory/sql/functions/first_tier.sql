-- The tier of a new chunk, in which it stays until it is promoted (tier_of).
CREATE OR REPLACE FUNCTION first_tier() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 'task' $$;
