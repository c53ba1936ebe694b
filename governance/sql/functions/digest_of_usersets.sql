-- The digest by which an audience is found: of its usersets, sorted and each once.
CREATE OR REPLACE FUNCTION digest_of_usersets(p_usersets text[]) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT sha256(convert_to(to_json(ARRAY(SELECT DISTINCT u COLLATE "C" FROM unnest(p_usersets) u ORDER BY 1))::text, 'UTF8'))
$$;
