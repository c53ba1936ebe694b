-- executable by: suture_app
-- The usage of a chunk, and the trust in it; no row if the actor may not read the chunk.
CREATE OR REPLACE FUNCTION get_chunk_use(p_tenant uuid, p_chunk uuid) RETURNS TABLE (
    confidence numeric, trust numeric, successes int, failures int, access_count bigint, last_accessed timestamptz,
    sessions bigint
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    IF seen_version(p_tenant, p_chunk, true) IS NULL THEN RETURN; END IF;
    RETURN QUERY
    SELECT coalesce(a.confidence, 0.5), trust_of(p_tenant, p_chunk), coalesce(a.successes, 0), coalesce(a.failures, 0),
        coalesce(a.access_count, 0), a.last_accessed,
        (SELECT count(*) FROM memory_chunksession s WHERE s.tenant_id = p_tenant AND s.chunk_id = p_chunk)
    FROM (VALUES (true)) one (row)
    LEFT JOIN LATERAL (
        SELECT y.* FROM memory_chunkaccess y WHERE y.tenant_id = p_tenant AND y.id = p_chunk) a ON true;
END $$;
