-- The leaves (governance/sql/functions/append_leaves.sql) of task updates.
CREATE OR REPLACE FUNCTION leaves_of_task(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT t.id, jsonb_build_array('task/1', t.tenant_id, t.id,
        scope_leaf(t.scope, t.subject_type, t.subject_id, t.project_id, t.session_id, t.channel, t.sensitivity, t.ts),
        t.task_id, t.event_id, t.status, t.content_id, encode(coalesce(
            (SELECT kept.sha256 FROM governance_content kept WHERE kept.tenant_id = p_tenant AND kept.id = t.content_id),
            (SELECT gone.sha256 FROM governance_erasedcontent gone
                WHERE gone.tenant_id = p_tenant AND gone.id = t.content_id)), 'hex'),
        t.details_id, encode(coalesce(
            (SELECT kept.sha256 FROM governance_content kept WHERE kept.tenant_id = p_tenant AND kept.id = t.details_id),
            (SELECT gone.sha256 FROM governance_erasedcontent gone
                WHERE gone.tenant_id = p_tenant AND gone.id = t.details_id)), 'hex'))
    FROM memory_task t
    WHERE t.tenant_id = p_tenant AND t.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_task OWNER TO suture_gate;
