-- Whose words a chunk has: see authorship_of_target. Guarded are an agent's own chain with its blocks, and the decisions
-- in force.
CREATE OR REPLACE FUNCTION authorship_of_chunk(
    p_tenant uuid, p_chunk uuid, OUT recorder_kind text, OUT recorded_by uuid, OUT targets uuid[], OUT is_guarded boolean,
    OUT is_received boolean
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    event uuid;
    chunks uuid[];
    who uuid;
BEGIN
    SELECT c.recorder_kind, c.recorded_by, c.event_id INTO recorder_kind, recorded_by, event FROM chunk_of(p_tenant, p_chunk) c;
    chunks := chunks_of_memory(p_tenant, event, p_chunk);
    targets := chunks || ARRAY(SELECT d.id FROM memory_decision d WHERE d.tenant_id = p_tenant AND d.event_id = event);
    is_guarded := EXISTS (SELECT FROM memory_agentmemory m WHERE m.tenant_id = p_tenant AND m.id = ANY (chunks))
        OR EXISTS (SELECT FROM memory_effectivedecision d
                   WHERE d.tenant_id = p_tenant AND d.event_id = event AND d.status = 'active' AND NOT d.is_retracted);
    who := recorded_by;
    is_received := EXISTS (
        SELECT FROM unnest(chunks) k (id)
        CROSS JOIN LATERAL (
            SELECT d.receiver_id FROM memory_delivery d
            WHERE d.tenant_id = p_tenant AND d.chunk_id = k.id AND d.receiver_id <> who LIMIT 1) d);
END $$;
