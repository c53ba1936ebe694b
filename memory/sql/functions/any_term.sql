-- A text search query for any of several terms of search vectors; NULL if there are none.
CREATE OR REPLACE FUNCTION any_term(p_terms text[]) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT string_agg(format($q$'%s'$q$, replace(replace(t, '\', '\\'), '''', '''''')), '|')::tsquery
    FROM unnest(p_terms) t
$$;
