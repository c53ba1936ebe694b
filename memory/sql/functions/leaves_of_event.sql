-- The leaves (governance/sql/functions/append_leaves.sql) of events.
CREATE OR REPLACE FUNCTION leaves_of_event(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT e.id, jsonb_build_array('event/1', e.tenant_id, e.id,
        scope_leaf(e.scope, e.subject_type, e.subject_id, e.project_id, e.session_id, e.channel, e.sensitivity, e.ts),
        e.actor_type, e.actor_id, e.kind, e.tags, e.refs, e.redacted, e.retention,
        e.content_id, (SELECT sha.hex FROM content_digest(p_tenant, e.content_id) sha),
        e.fields_id, (SELECT sha.hex FROM content_digest(p_tenant, e.fields_id) sha),
        e.recorder_kind, e.recorded_by, e.recorder, microseconds(e.recorded_at))
    FROM memory_event e
    WHERE e.tenant_id = p_tenant AND e.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_event OWNER TO suture_gate;
