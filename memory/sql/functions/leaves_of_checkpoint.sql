-- The leaves (governance/sql/functions/append_leaves.sql) of checkpoints.
CREATE OR REPLACE FUNCTION leaves_of_checkpoint(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT c.id, jsonb_build_array('checkpoint/1', c.tenant_id, c.id, c.running_id, c.session_id, c.turn, c.depth,
        c.format_version, c.kind, c.size, c.stored_size, encode(c.sha256, 'hex'), encode(c.state_sha256, 'hex'),
        c.path, c.agent_id, c.agent, microseconds(c.created_at))
    FROM memory_checkpoint c
    WHERE c.tenant_id = p_tenant AND c.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_checkpoint OWNER TO suture_gate;
