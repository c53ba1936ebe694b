-- The leaves (governance/sql/functions/append_leaves.sql) of artifacts.
CREATE OR REPLACE FUNCTION leaves_of_artifact(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT a.id, jsonb_build_array('artifact/1', a.tenant_id, a.id,
        scope_leaf(a.scope, a.subject_type, a.subject_id, a.project_id, a.session_id, a.channel, a.sensitivity, a.ts),
        a.event_id, a.content_id, (SELECT sha.hex FROM content_digest(p_tenant, a.content_id) sha), a.media_type)
    FROM memory_artifact a
    WHERE a.tenant_id = p_tenant AND a.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_artifact OWNER TO suture_gate;
