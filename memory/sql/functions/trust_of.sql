-- The trust in a chunk: the lowest confidence in it and in its sources (came_from).
CREATE OR REPLACE FUNCTION trust_of(p_tenant uuid, p_chunk uuid) RETURNS numeric LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN (
        SELECT min(coalesce(a.confidence, 0.5)) FROM came_from(p_tenant, p_chunk) o (id)
        LEFT JOIN LATERAL (
            SELECT y.confidence FROM memory_chunkaccess y WHERE y.tenant_id = p_tenant AND y.id = o.id LIMIT 1) a ON true);
END $$;
