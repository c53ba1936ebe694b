-- The leaves (governance/sql/functions/append_leaves.sql) of finished operations.
CREATE OR REPLACE FUNCTION leaves_of_operation_done(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT o.id, jsonb_build_array('operation_done/1', o.tenant_id, o.id, o.checkpoint_id, o.operation_id, o.note,
        o.agent_id, o.agent, microseconds(o.done_at))
    FROM memory_operationdone o
    WHERE o.tenant_id = p_tenant AND o.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_operation_done OWNER TO suture_gate;
