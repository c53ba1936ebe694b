-- Bring the vectors of the words of these chunks to what they and their neighbours say now, and answer those of which one
-- changed that they had already. The caller has locked them.
CREATE OR REPLACE FUNCTION refresh_context(p_tenant uuid, p_chunks uuid[]) RETURNS uuid[] LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE changed uuid[];
BEGIN
    WITH now AS MATERIALIZED (
        SELECT x.id, x.lex AS had, CASE WHEN x.superseded_by IS NULL AND NOT x.is_expired
            THEN lex_of(k, x.tsv, x.blocked_channels) END AS has
        FROM unnest(p_chunks) AS i (id)
        CROSS JOIN LATERAL (
            SELECT y.id, y.lex, y.tsv, y.blocked_channels, y.superseded_by, y.is_expired FROM memory_effectivechunk y
            WHERE y.tenant_id = p_tenant AND y.id = i.id AND NOT y.is_retracted
              -- one without a vector has nobody's words, and the job computes it
              -- (a subquery with a LIMIT: EXISTS could become a table of all that waits in the tenant)
              AND NOT (y.lex IS NULL AND (SELECT true FROM memory_pendingcontext p
                  WHERE p.tenant_id = p_tenant AND p.id = y.id LIMIT 1) IS TRUE) LIMIT 1) x
        CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
    ), renewed AS (
        UPDATE memory_effectivechunk x SET lex = now.has FROM now
        WHERE x.tenant_id = p_tenant AND x.id = now.id AND NOT is_same_lex(now.had, now.has)
        RETURNING x.id, now.had IS NOT NULL AS had_words)
    SELECT coalesce(array_agg(r.id ORDER BY r.id) FILTER (WHERE r.had_words), '{}') INTO changed FROM renewed r;
    RETURN changed;
END $$;

ALTER FUNCTION refresh_context OWNER TO suture_gate;
