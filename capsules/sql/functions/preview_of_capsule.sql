-- The fold of a capsule with p_also applied last (governance/sql/functions/preview_edit.sql). Its text is the note, and
-- its search words are those of the note.
CREATE OR REPLACE FUNCTION preview_of_capsule(p_tenant uuid, p_capsule uuid, p_also applied_edit)
RETURNS SETOF target_preview LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN QUERY
    SELECT k.sensitivity::text, jsonb_build_object('text', said.note, 'risks', said.risks::json),
        f.importance::numeric(5,4), f.is_retracted, f.is_quarantined, f.blocked_channels, false, f.edits_applied,
        CASE WHEN said.note IS NOT NULL AND NOT f.is_retracted
            THEN tsvector_to_array(text_vector(search_language(p_tenant), said.note)) ELSE '{}' END, NULL::int[]
    FROM capsules_capsule k
    CROSS JOIN LATERAL fold_capsule(p_tenant, k.id, p_also) f
    LEFT JOIN LATERAL content_of(p_tenant, f.note_id) n ON true
    LEFT JOIN LATERAL content_of(p_tenant, f.risks_id) r ON true
    CROSS JOIN LATERAL (SELECT
        CASE WHEN f.note_id IS NULL THEN '' WHEN f.note_id = p_also.content_id THEN note_in(coalesce(p_also.body, n.body))
            ELSE note_in(n.body) END AS note,
        CASE WHEN f.risks_id IS NULL THEN '[]' WHEN f.risks_id = p_also.content_id
            THEN risks_in(coalesce(p_also.body, r.body)) ELSE risks_in(r.body) END AS risks) said
    WHERE k.tenant_id = p_tenant AND k.id = p_capsule;
END $$;
