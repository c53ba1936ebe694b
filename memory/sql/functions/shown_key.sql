-- The key of a chunk in a cursor of a search: 48 random bits of its id, in 8 characters (memory/queries/search.py).
CREATE OR REPLACE FUNCTION shown_key(p_id uuid) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT encode(substring(uuid_send(p_id) FROM 11), 'base64')
$$;
