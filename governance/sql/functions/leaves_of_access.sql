-- The leaves (append_leaves.sql) of records of the access log.
CREATE OR REPLACE FUNCTION leaves_of_access(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT a.id, jsonb_build_array('access/1', a.tenant_id, a.id, microseconds(a.at), a.actor_kind, a.actor_id,
        a.actor, a.action, a.target_type, a.target_id, a.outcome, a.details)
    FROM unnest(p_ids) w (id)
    CROSS JOIN LATERAL (SELECT * FROM governance_accessrecord o WHERE o.tenant_id = p_tenant AND o.id = w.id LIMIT 1) a;
END $$;

ALTER FUNCTION leaves_of_access OWNER TO suture_gate;
