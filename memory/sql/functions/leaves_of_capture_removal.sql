-- The leaves (governance/sql/functions/append_leaves.sql) of deletions of captured chunks.
CREATE OR REPLACE FUNCTION leaves_of_capture_removal(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT r.id, jsonb_build_array('capture_removal/1', r.tenant_id, r.id, r.chunk_id, r.remover_kind, r.removed_by,
        r.remover, microseconds(r.removed_at))
    FROM memory_captureremoval r
    WHERE r.tenant_id = p_tenant AND r.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_capture_removal OWNER TO suture_gate;
