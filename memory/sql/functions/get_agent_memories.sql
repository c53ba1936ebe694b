-- executable by: suture_app
-- The memories of an agent's chain with these numbers that the reader gets, superseded or not, in order.
CREATE OR REPLACE FUNCTION get_agent_memories(
    p_tenant uuid, p_agent uuid, p_seqs bigint[], p_listening text[], p_include_quarantined boolean
) RETURNS SETOF agent_memory_row LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
BEGIN
    PERFORM require_own_chain(p_tenant, p_agent);
    RETURN QUERY
    SELECT * FROM agent_memory_rows(p_tenant, ARRAY(
        SELECT m.id FROM unnest(p_seqs) s (seq) CROSS JOIN LATERAL (
            SELECT y.id FROM memory_agentmemory y
            WHERE y.tenant_id = p_tenant AND y.agent_id = p_agent AND y.seq = s.seq LIMIT 1) m),
        p_listening, v_reader, p_include_quarantined, true) r
    ORDER BY r.seq;
END $$;
