-- The leaves (governance/sql/functions/append_leaves.sql) of capsules, with the hashes of the original note and risks.
CREATE OR REPLACE FUNCTION leaves_of_capsule(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT c.id, jsonb_build_array('capsule/1', c.tenant_id, c.id, c.scope, c.subject_type, c.subject_id, c.project_id,
        c.author_kind, c.authored_by, c.author, microseconds(c.created_at), microseconds(c.expires_at), c.sensitivity,
        c.may_forward, c.note_id, encode(coalesce(
            (SELECT kept.sha256 FROM governance_content kept WHERE kept.tenant_id = p_tenant AND kept.id = c.note_id),
            (SELECT gone.sha256 FROM governance_erasedcontent gone
                WHERE gone.tenant_id = p_tenant AND gone.id = c.note_id)), 'hex'),
        c.risks_id, encode(coalesce(
            (SELECT kept.sha256 FROM governance_content kept WHERE kept.tenant_id = p_tenant AND kept.id = c.risks_id),
            (SELECT gone.sha256 FROM governance_erasedcontent gone
                WHERE gone.tenant_id = p_tenant AND gone.id = c.risks_id)), 'hex'),
        c.ttl_days, c.forwards_id)
    FROM capsules_capsule c
    WHERE c.tenant_id = p_tenant AND c.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_capsule OWNER TO suture_gate;
