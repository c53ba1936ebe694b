-- The leaves (governance/sql/functions/append_leaves.sql) of where captured chunks came from.
CREATE OR REPLACE FUNCTION leaves_of_capture(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT c.id, jsonb_build_array('capture/1', c.tenant_id, c.id, c.session_id, c.source, c.hook_type, c.tool_name,
        c.response_type, c.response_id, c.file_path, c.word_offset)
    FROM unnest(p_ids) w (id)
    CROSS JOIN LATERAL (SELECT * FROM memory_capture o WHERE o.tenant_id = p_tenant AND o.id = w.id LIMIT 1) c;
END $$;

ALTER FUNCTION leaves_of_capture OWNER TO suture_gate;
