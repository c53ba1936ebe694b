-- The leaves (governance/sql/functions/append_leaves.sql) of task updates.
CREATE OR REPLACE FUNCTION leaves_of_task(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT t.id, jsonb_build_array('task/1', t.tenant_id, t.id,
        scope_leaf(t.scope, t.subject_type, t.subject_id, t.project_id, t.session_id, t.channel, t.sensitivity, t.ts),
        t.task_id, t.event_id, t.status, t.content_id, (SELECT sha.hex FROM content_digest(p_tenant, t.content_id) sha),
        t.details_id, (SELECT sha.hex FROM content_digest(p_tenant, t.details_id) sha))
    FROM memory_task t
    WHERE t.tenant_id = p_tenant AND t.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_task OWNER TO suture_gate;
