-- The leaves (governance/sql/functions/append_leaves.sql) of outcomes.
CREATE OR REPLACE FUNCTION leaves_of_outcome(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT o.id, jsonb_build_array('outcome/1', o.tenant_id, o.id, o.chunk_id, o.version, o.outcome, o.session_id, o.note,
        o.reporter_kind, o.reported_by, o.reporter, microseconds(o.at))
    FROM memory_outcome o
    WHERE o.tenant_id = p_tenant AND o.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_outcome OWNER TO suture_gate;
