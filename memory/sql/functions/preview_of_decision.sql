-- The fold of a decision with p_also applied last (governance/sql/functions/preview_edit.sql).
CREATE OR REPLACE FUNCTION preview_of_decision(p_tenant uuid, p_decision uuid, p_also applied_edit)
RETURNS SETOF target_preview LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN QUERY
    SELECT d.sensitivity::text, jsonb_build_object('text', said.text), f.importance::numeric(5,4), f.is_retracted,
        f.is_quarantined, f.blocked_channels, false, f.edits_applied,
        CASE WHEN said.text IS NOT NULL AND NOT f.is_retracted
            THEN tsvector_to_array(text_vector(search_language(p_tenant), said.text)) ELSE '{}' END,
        (SELECT array_agg(DISTINCT n ORDER BY n) FROM fold_memory(p_tenant, d.event_id, NULL, p_also) m
         CROSS JOIN LATERAL unnest(m.audience) n)
    FROM memory_decision d
    CROSS JOIN LATERAL fold_decision(p_tenant, d.id, p_also) f
    LEFT JOIN LATERAL content_of(p_tenant, f.content_id) c ON true
    CROSS JOIN LATERAL (SELECT CASE
        WHEN f.content_id = p_also.content_id AND p_also.body IS NOT NULL THEN p_also.body ELSE c.body END AS text) said
    WHERE d.tenant_id = p_tenant AND d.id = p_decision;
END $$;
