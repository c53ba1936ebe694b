-- Lock the chunks of the memories of these targets, chunks or decisions, with their neighbours, and what
-- lock_agent_chains says: all in session order.
CREATE OR REPLACE FUNCTION lock_together_of_memory(p_tenant uuid, p_targets uuid[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    PERFORM lock_surroundings(p_tenant, lock_agent_chains(p_tenant, ARRAY(
        SELECT unnest(chunks_of_memory(p_tenant, k.event_id, k.id))
        FROM unnest(p_targets) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
        UNION
        SELECT unnest(chunks_of_memory(p_tenant, d.event_id, NULL))
        FROM unnest(p_targets) i (id)
        CROSS JOIN LATERAL (
            SELECT y.event_id FROM memory_decision y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) d)));
END $$;

ALTER FUNCTION lock_together_of_memory OWNER TO suture_gate;
