-- The leaves (governance/sql/functions/append_leaves.sql) of finished operations.
CREATE OR REPLACE FUNCTION leaves_of_operation_done(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT o.id, jsonb_build_array('operation_done/1', o.tenant_id, o.id, o.checkpoint_id, o.operation_id, o.note,
        o.agent_id, o.agent, microseconds(o.done_at))
    FROM unnest(p_ids) w (id)
    CROSS JOIN LATERAL (SELECT * FROM memory_operationdone o WHERE o.tenant_id = p_tenant AND o.id = w.id LIMIT 1) o;
END $$;

ALTER FUNCTION leaves_of_operation_done OWNER TO suture_gate;
