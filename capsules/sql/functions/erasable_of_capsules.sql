-- The capsules that an erasure covers (erasure_scope). A forwarded capsule uses the words of the original and loses
-- them with it. It is listed too, like a capsule without words, because edits of it are erased.
CREATE OR REPLACE FUNCTION erasable_of_capsules(
    p_tenant uuid, p_by text, p_target uuid, p_subject_type text, p_subject_id text
) RETURNS TABLE (kind text, record_id uuid, content_id uuid, retention text) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    IF p_by = 'value' THEN
        RETURN QUERY
        SELECT 'capsule', c.id, w.id, 'relationship' FROM capsules_capsule c
        JOIN capsules_effectivecapsule x ON x.tenant_id = p_tenant AND x.id = c.id
        JOIN memory_value v ON v.tenant_id = p_tenant AND v.id = p_target
        CROSS JOIN LATERAL (
            SELECT y.id FROM (VALUES (c.note_id), (c.risks_id)) y (id) WHERE c.forwards_id IS NULL
            UNION ALL
            SELECT r.id FROM memory_rewording r WHERE r.tenant_id = p_tenant AND r.record_id = c.id) w
        WHERE c.tenant_id = p_tenant AND is_place_within_reach(v, place_of_capsule(x))
          AND EXISTS (SELECT FROM content_of(p_tenant, w.id) t
                      WHERE content_says(t.body, words_of_value(p_tenant, p_target)));
        RETURN;
    END IF;
    RETURN QUERY
    SELECT 'capsule', c.id, w.id, 'relationship' FROM capsules_capsule c
    CROSS JOIN LATERAL (
        SELECT CASE WHEN c.forwards_id IS NULL THEN y.id END AS id FROM (VALUES (c.note_id), (c.risks_id)) y (id)
        UNION ALL  -- what an erasure by value left of them
        SELECT r.id FROM memory_rewording r WHERE r.tenant_id = p_tenant AND r.record_id = c.id) w
    WHERE c.tenant_id = p_tenant AND CASE p_by
        WHEN 'subject' THEN c.subject_type = p_subject_type AND c.subject_id = p_subject_id
        WHEN 'agent' THEN c.author_kind = 'agent' AND c.authored_by = p_target END;
END $$;
