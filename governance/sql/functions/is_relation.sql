-- Whether a text is the name of a relation or of a type.
CREATE OR REPLACE FUNCTION is_relation(p_name text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT p_name ~ '^[a-z][a-z0-9_]{0,49}$'
$$;
