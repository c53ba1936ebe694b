-- The leaves (governance/sql/functions/append_leaves.sql) of capsules' audiences.
CREATE OR REPLACE FUNCTION leaves_of_capsule_audience(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT a.id, jsonb_build_array('capsule_audience/1', a.tenant_id, a.id, a.capsule_id, a.agent_id,
        microseconds(a.expires_at))
    FROM capsules_capsuleaudience a
    WHERE a.tenant_id = p_tenant AND a.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_capsule_audience OWNER TO suture_gate;
