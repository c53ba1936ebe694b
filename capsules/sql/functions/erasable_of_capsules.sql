-- The capsules that an erasure covers (erasure_scope). A forwarded capsule uses the words of the original and loses
-- them with it. It is listed too, like a capsule without words, because edits of it are erased.
CREATE OR REPLACE FUNCTION erasable_of_capsules(
    p_tenant uuid, p_by text, p_target uuid, p_subject_type text, p_subject_id text
) RETURNS TABLE (kind text, record_id uuid, content_id uuid, retention text) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT 'capsule', c.id, CASE WHEN c.forwards_id IS NULL THEN w.id END, 'relationship' FROM capsules_capsule c
    CROSS JOIN LATERAL (VALUES (c.note_id), (c.risks_id)) w (id)
    WHERE c.tenant_id = p_tenant AND CASE p_by
        WHEN 'subject' THEN c.subject_type = p_subject_type AND c.subject_id = p_subject_id
        WHEN 'agent' THEN c.author_kind = 'agent' AND c.authored_by = p_target END;
END $$;
