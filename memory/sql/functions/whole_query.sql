-- A query for an identifier: for the whole as it is written, or for all its parts.
CREATE OR REPLACE FUNCTION whole_query(p_language regconfig, p_part text) RETURNS tsquery LANGUAGE sql IMMUTABLE
PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT phraseto_tsquery(p_language, p_part) || plainto_tsquery(p_language, identifier_parts(p_part))
$$;
