-- The tier of a chunk: each begins in this one, whatever it was made from, and stays there until promotion exists. Then
-- promotions are recorded, and this is what their fold begins with: the tier always follows from the record.
CREATE OR REPLACE FUNCTION first_tier() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 'task' $$;

ALTER FUNCTION first_tier OWNER TO suture_gate;
