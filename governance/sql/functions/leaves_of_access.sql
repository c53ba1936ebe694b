-- The leaves (append_leaves.sql) of records of the access log.
CREATE OR REPLACE FUNCTION leaves_of_access(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT a.id, jsonb_build_array('access/1', a.tenant_id, a.id, microseconds(a.at), a.actor_kind, a.actor_id,
        a.actor, a.action, a.target_type, a.target_id, a.outcome, a.details)
    FROM governance_accessrecord a
    WHERE a.tenant_id = p_tenant AND a.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_access OWNER TO suture_gate;
