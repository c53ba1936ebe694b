-- Update the vectors of the words of these chunks to their current text and neighbours, and return those whose existing
-- vector changed. The caller has locked them. Works in parts: the vectors of a part are joined without an index.
CREATE OR REPLACE FUNCTION refresh_context(p_tenant uuid, p_chunks uuid[]) RETURNS uuid[] LANGUAGE plpgsql
SECURITY DEFINER
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    part_size constant int := 50;
    part uuid[];
    renewed_part uuid[];
    changed uuid[] := '{}';
BEGIN
    FOR begin_at IN 1 .. cardinality(p_chunks) BY part_size LOOP
        part := p_chunks[begin_at : begin_at + part_size - 1];
        WITH due AS MATERIALIZED (
            SELECT x.id, x.lex AS had, x.superseded_by IS NULL AND NOT x.is_expired AS is_worded
            FROM unnest(part) AS i (id)
            CROSS JOIN LATERAL (
                SELECT y.id, y.lex, y.superseded_by, y.is_expired FROM memory_effectivechunk y
                WHERE y.tenant_id = p_tenant AND y.id = i.id AND NOT y.is_retracted
                  -- one without a vector has no words of others, and the job computes it
                  -- (a subquery with a LIMIT: EXISTS could become a table of all waiting chunks of the tenant)
                  AND NOT (y.lex IS NULL AND (SELECT true FROM memory_pendingcontext p
                      WHERE p.tenant_id = p_tenant AND p.id = y.id LIMIT 1) IS TRUE) LIMIT 1) x
        ), now AS MATERIALIZED (
            SELECT d.id, d.had, l.lex AS has FROM due d
            LEFT JOIN lex_of_chunks(p_tenant, ARRAY(SELECT w.id FROM due w WHERE w.is_worded)) l ON l.id = d.id
        ), renewed AS (
            UPDATE memory_effectivechunk x SET lex = now.has FROM now
            WHERE x.tenant_id = p_tenant AND x.id = now.id AND NOT is_same_lex(now.had, now.has)
            RETURNING x.id, now.had IS NOT NULL AS had_words)
        SELECT array_agg(r.id) FILTER (WHERE r.had_words) INTO renewed_part FROM renewed r;
        changed := changed || renewed_part;
    END LOOP;
    RETURN ARRAY(SELECT unnest(changed) ORDER BY 1);
END $$;
