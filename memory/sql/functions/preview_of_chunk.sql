-- The fold of a chunk with p_also applied last (governance/sql/functions/preview_edit.sql).
CREATE OR REPLACE FUNCTION preview_of_chunk(p_tenant uuid, p_chunk uuid, p_also applied_edit)
RETURNS SETOF target_preview LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN QUERY
    SELECT k.sensitivity::text, jsonb_build_object('text', said.text), f.importance::numeric(5,4), f.is_retracted,
        f.is_quarantined, f.blocked_channels, f.superseded_by IS NOT NULL, f.edits_applied,
        CASE WHEN said.text IS NOT NULL AND NOT f.is_retracted AND f.superseded_by IS NULL
            THEN tsvector_to_array(text_vector(search_language(p_tenant), said.text)) ELSE '{}' END, f.audience
    FROM memory_chunk k
    CROSS JOIN LATERAL fold_memory(p_tenant, k.event_id, k.id, p_also) f
    LEFT JOIN LATERAL content_of(p_tenant, f.content_id) c ON true
    CROSS JOIN LATERAL (SELECT CASE
        WHEN f.reworded IS NOT NULL THEN f.reworded
        WHEN f.content_id = p_also.content_id AND p_also.body IS NOT NULL THEN p_also.body
        ELSE span_of(c.body, f.span_start, f.span_end) END AS text) said
    WHERE k.tenant_id = p_tenant AND k.id = p_chunk AND f.chunk_id = p_chunk;
END $$;
