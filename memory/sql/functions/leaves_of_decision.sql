-- The leaves (governance/sql/functions/append_leaves.sql) of decisions.
CREATE OR REPLACE FUNCTION leaves_of_decision(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT d.id, jsonb_build_array('decision/1', d.tenant_id, d.id,
        scope_leaf(d.scope, d.subject_type, d.subject_id, d.project_id, d.session_id, d.channel, d.sensitivity, d.ts),
        d.event_id, d.content_id, (SELECT sha.hex FROM content_digest(p_tenant, d.content_id) sha),
        d.details_id, (SELECT sha.hex FROM content_digest(p_tenant, d.details_id) sha), d.supersedes_id)
    FROM memory_decision d
    WHERE d.tenant_id = p_tenant AND d.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_decision OWNER TO suture_gate;
