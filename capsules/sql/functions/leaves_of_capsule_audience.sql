-- The leaves (governance/sql/functions/append_leaves.sql) of capsules' audiences.
CREATE OR REPLACE FUNCTION leaves_of_capsule_audience(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT a.id, jsonb_build_array('capsule_audience/1', a.tenant_id, a.id, a.capsule_id, a.agent_id,
        microseconds(a.expires_at))
    FROM unnest(p_ids) w (id)
    CROSS JOIN LATERAL (SELECT * FROM capsules_capsuleaudience o WHERE o.tenant_id = p_tenant AND o.id = w.id LIMIT 1) a;
END $$;

ALTER FUNCTION leaves_of_capsule_audience OWNER TO suture_gate;
