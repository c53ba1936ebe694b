-- executable by: suture_app
-- The job that completes the vectors of words: new chunks get theirs, and lend their words to their neighbours. If the
-- tenant's language changed, it also renews their search vectors. Takes up to p_limit of the waiting chunks; any number
-- of jobs may run at once. Returns how many it took: fewer than p_limit if no more wait.
CREATE OR REPLACE FUNCTION complete_context(p_tenant uuid, p_limit int) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    spoken regconfig := search_language(p_tenant);
    taken uuid[];
    chunk uuid;
BEGIN
    PERFORM require_job(p_tenant);
    WITH claimed AS (
        DELETE FROM memory_pendingcontext p WHERE p.tenant_id = p_tenant AND p.id = ANY (ARRAY(
            SELECT q.id FROM memory_pendingcontext q WHERE q.tenant_id = p_tenant
            ORDER BY q.id LIMIT p_limit FOR UPDATE SKIP LOCKED))
        RETURNING p.id)
    SELECT array_agg(c.id) INTO taken FROM claimed c;
    IF taken IS NULL THEN RETURN 0; END IF;
    PERFORM lock_surroundings(p_tenant, taken);
    -- all of them: records made during a change of the language are in the old one
    FOREACH chunk IN ARRAY taken LOOP
        UPDATE memory_effectivechunk x SET tsv = w.tsv
        FROM (SELECT text_vector(spoken, span_of(c.body, y.span_start, y.span_end)) AS tsv
              FROM memory_effectivechunk y LEFT JOIN LATERAL content_of(p_tenant, y.content_id) c ON true
              WHERE y.tenant_id = p_tenant AND y.id = chunk) w
        WHERE x.tenant_id = p_tenant AND x.id = chunk AND NOT x.is_retracted AND x.tsv IS DISTINCT FROM w.tsv;
    END LOOP;
    PERFORM change_context(p_tenant, refresh_context(p_tenant, surroundings_of(p_tenant, taken)), false);
    RETURN cardinality(taken);
END $$;
