-- The leaves (append_leaves.sql) of verdicts.
CREATE OR REPLACE FUNCTION leaves_of_verdict(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT v.id, jsonb_build_array('verdict/1', v.tenant_id, v.id, v.edit_id, v.decision, v.decider_kind,
        v.decided_by, v.decider, microseconds(v.decided_at), v.reason, v.proposed_by, encode(v.patch_sha256, 'hex'))
    FROM unnest(p_ids) w (id)
    CROSS JOIN LATERAL (SELECT * FROM governance_verdict o WHERE o.tenant_id = p_tenant AND o.id = w.id LIMIT 1) v;
END $$;

ALTER FUNCTION leaves_of_verdict OWNER TO suture_gate;
