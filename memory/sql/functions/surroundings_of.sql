-- Some chunks with their neighbours (neighbours_of), in session order: the order in which they are locked.
CREATE OR REPLACE FUNCTION surroundings_of(p_tenant uuid, p_chunks uuid[]) RETURNS uuid[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    -- A plan from when the tables were small may read all of the tenant for each chunk: for many chunks, a new plan
    -- pays off.
    IF cardinality(p_chunks) > 20 THEN PERFORM set_config('plan_cache_mode', 'force_custom_plan', true); END IF;
    RETURN ARRAY(
        SELECT s.id FROM (
            SELECT k.id, k.session_id, k.ts FROM unnest(p_chunks) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
            UNION
            SELECT n.chunk_id, k.session_id, n.ts FROM unnest(p_chunks) i (id)
            CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k CROSS JOIN LATERAL neighbours_of(k, '{}', NULL) n
        ) s ORDER BY s.session_id, s.ts, s.id
    );
END $$;
