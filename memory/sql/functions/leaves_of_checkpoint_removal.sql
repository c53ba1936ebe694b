-- The leaves (governance/sql/functions/append_leaves.sql) of removals of checkpoints.
CREATE OR REPLACE FUNCTION leaves_of_checkpoint_removal(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT r.id, jsonb_build_array('checkpoint_removal/1', r.tenant_id, r.id, r.checkpoint_id, r.reason, r.erasure_id,
        r.remover_kind, r.removed_by, r.remover, microseconds(r.removed_at))
    FROM memory_checkpointremoval r
    WHERE r.tenant_id = p_tenant AND r.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_checkpoint_removal OWNER TO suture_gate;
