-- The leaves (governance/sql/functions/append_leaves.sql) of where captured chunks came from.
CREATE OR REPLACE FUNCTION leaves_of_capture(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT c.id, jsonb_build_array('capture/1', c.tenant_id, c.id, c.session_id, c.source, c.hook_type, c.tool_name,
        c.response_type, c.response_id, c.file_path, c.word_offset)
    FROM memory_capture c
    WHERE c.tenant_id = p_tenant AND c.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_capture OWNER TO suture_gate;
