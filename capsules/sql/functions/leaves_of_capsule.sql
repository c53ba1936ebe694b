-- The leaves (governance/sql/functions/append_leaves.sql) of capsules, with the hashes of the original note and risks.
CREATE OR REPLACE FUNCTION leaves_of_capsule(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT c.id, jsonb_build_array('capsule/1', c.tenant_id, c.id, c.scope, c.subject_type, c.subject_id, c.project_id,
        c.author_kind, c.authored_by, c.author, microseconds(c.created_at), microseconds(c.expires_at), c.sensitivity,
        c.may_forward, c.note_id, (SELECT sha.hex FROM content_digest(p_tenant, c.note_id) sha),
        c.risks_id, (SELECT sha.hex FROM content_digest(p_tenant, c.risks_id) sha),
        c.ttl_days, c.forwards_id)
    FROM capsules_capsule c
    WHERE c.tenant_id = p_tenant AND c.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_capsule OWNER TO suture_gate;
