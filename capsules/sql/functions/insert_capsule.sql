-- The rows of a new capsule, with its projection.
CREATE OR REPLACE FUNCTION insert_capsule(c capsules_capsule, p_items json, p_audience uuid[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER AS $$
BEGIN
    INSERT INTO capsules_capsule SELECT c.*;
    INSERT INTO capsules_capsuleitem (tenant_id, id, capsule_id, position, kind, item_id)
    SELECT c.tenant_id, new_id(), c.id, i.at, i.kind, i.id
    FROM json_to_recordset(p_items) AS i (at int, kind text, id uuid);
    INSERT INTO capsules_capsuleaudience (tenant_id, id, capsule_id, agent_id, expires_at)
    SELECT c.tenant_id, new_id(), c.id, a, c.expires_at FROM unnest(p_audience) a;
    INSERT INTO capsules_effectivecapsule (tenant_id, id, scope, subject_type, subject_id, project_id, author_kind,
        authored_by, author, created_at, expires_at, sensitivity, may_forward, note_id, risks_id, forwards_id,
        item_count, audience_count, status, importance, is_retracted, is_quarantined, blocked_channels, edits_applied)
    VALUES (c.tenant_id, c.id, c.scope, c.subject_type, c.subject_id, c.project_id, c.author_kind, c.authored_by,
        c.author, c.created_at, c.expires_at, c.sensitivity, c.may_forward, c.note_id, c.risks_id, c.forwards_id,
        json_array_length(p_items), cardinality(p_audience), 'active', 0.5, false, false, '{}', 0);
END $$;
