-- Lock the memories of these targets, chunks or decisions, as lock_memory locks one: their chunks with their
-- neighbours, and the rows of lock_agent_chains, all in session order; then their decisions by id.
CREATE OR REPLACE FUNCTION lock_together_of_memory(p_tenant uuid, p_targets uuid[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    chunks uuid[] := ARRAY(
        SELECT unnest(chunks_of_memory(p_tenant, k.event_id, k.id))
        FROM unnest(p_targets) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
        UNION
        SELECT unnest(chunks_of_memory(p_tenant, d.event_id, NULL))
        FROM unnest(p_targets) i (id)
        CROSS JOIN LATERAL (
            SELECT y.event_id FROM memory_decision y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) d);
BEGIN
    PERFORM lock_surroundings(p_tenant, lock_agent_chains(p_tenant, file_neighbours(p_tenant, chunks)));
    PERFORM 1 FROM unnest(ARRAY(
        SELECT x.id FROM (
            SELECT DISTINCT k.event_id FROM unnest(chunks) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k) e
        CROSS JOIN LATERAL (
            SELECT y.id FROM memory_effectivedecision y WHERE y.tenant_id = p_tenant AND y.event_id = e.event_id
            OFFSET 0) x
        ORDER BY 1)) d (id)
    CROSS JOIN LATERAL (
        SELECT 1 FROM memory_effectivedecision x WHERE x.tenant_id = p_tenant AND x.id = d.id FOR UPDATE) held;
END $$;
