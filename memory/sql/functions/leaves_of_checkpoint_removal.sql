-- The leaves (governance/sql/functions/append_leaves.sql) of removals of checkpoints.
CREATE OR REPLACE FUNCTION leaves_of_checkpoint_removal(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT r.id, jsonb_build_array('checkpoint_removal/1', r.tenant_id, r.id, r.checkpoint_id, r.reason, r.erasure_id,
        r.remover_kind, r.removed_by, r.remover, microseconds(r.removed_at))
    FROM unnest(p_ids) w (id)
    CROSS JOIN LATERAL (SELECT * FROM memory_checkpointremoval o WHERE o.tenant_id = p_tenant AND o.id = w.id LIMIT 1) r;
END $$;

ALTER FUNCTION leaves_of_checkpoint_removal OWNER TO suture_gate;
