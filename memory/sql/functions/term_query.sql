-- A text search query for one term, or for any of several.
CREATE OR REPLACE FUNCTION term_query(p_tenant uuid, VARIADIC p_terms text[]) RETURNS tsquery LANGUAGE sql IMMUTABLE
PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT string_agg(
        format($q$'%s'$q$, replace(replace(index_term(term_prefix(p_tenant), t), '\', '\\'), '''', '''''')), '|')::tsquery
    FROM unnest(p_terms) t
$$;
