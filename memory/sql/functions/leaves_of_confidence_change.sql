-- The leaves (governance/sql/functions/append_leaves.sql) of changes of confidence.
CREATE OR REPLACE FUNCTION leaves_of_confidence_change(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT c.id, jsonb_build_array('confidence_change/1', c.tenant_id, c.id, c.chunk_id, c.number, c.kind, c.before, c.after,
        c.outcome_id, c.is_failure, c.reason, c.changer_kind, c.changed_by, c.changer, microseconds(c.at))
    FROM memory_confidencechange c
    WHERE c.tenant_id = p_tenant AND c.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_confidence_change OWNER TO suture_gate;
