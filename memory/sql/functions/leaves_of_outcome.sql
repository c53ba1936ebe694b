-- The leaves (governance/sql/functions/append_leaves.sql) of outcomes.
CREATE OR REPLACE FUNCTION leaves_of_outcome(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT o.id, jsonb_build_array('outcome/1', o.tenant_id, o.id, o.chunk_id, o.version, o.outcome, o.session_id, o.note, o.reporter_kind, o.reported_by,
        o.reporter, microseconds(o.at))
    FROM unnest(p_ids) w (id)
    CROSS JOIN LATERAL (SELECT * FROM memory_outcome o WHERE o.tenant_id = p_tenant AND o.id = w.id LIMIT 1) o;
END $$;

ALTER FUNCTION leaves_of_outcome OWNER TO suture_gate;
