-- The leaves (governance/sql/functions/append_leaves.sql) of artifacts.
CREATE OR REPLACE FUNCTION leaves_of_artifact(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT a.id, jsonb_build_array('artifact/1', a.tenant_id, a.id,
        scope_leaf(a.scope, a.subject_type, a.subject_id, a.project_id, a.session_id, a.channel, a.sensitivity, a.ts),
        a.event_id, a.content_id, encode(coalesce(
            (SELECT kept.sha256 FROM governance_content kept WHERE kept.tenant_id = p_tenant AND kept.id = a.content_id),
            (SELECT gone.sha256 FROM governance_erasedcontent gone
                WHERE gone.tenant_id = p_tenant AND gone.id = a.content_id)), 'hex'),
        a.media_type)
    FROM memory_artifact a
    WHERE a.tenant_id = p_tenant AND a.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_artifact OWNER TO suture_gate;
