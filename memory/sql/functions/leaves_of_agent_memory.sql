-- The leaves (governance/sql/functions/append_leaves.sql) of agents' memories, with what they superseded.
CREATE OR REPLACE FUNCTION leaves_of_agent_memory(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT m.id, jsonb_build_array('agent_memory/1', m.tenant_id, m.id, m.agent_id, m.seq, m.type, m.reason,
        m.block_label, m.version, m.previous_block_seq, m.is_core, microseconds(m.expires_at), ARRAY(
            SELECT s.superseded_seq FROM memory_supersession s
            WHERE s.tenant_id = p_tenant AND s.successor_id = m.id ORDER BY 1))
    FROM memory_agentmemory m
    WHERE m.tenant_id = p_tenant AND m.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_agent_memory OWNER TO suture_gate;
