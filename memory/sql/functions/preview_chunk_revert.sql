-- A chunk as it is and as it would be, were p_edit reverted now; words and all, also those of a retracted chunk:
-- whether the caller may read them is for the service to ask.
CREATE OR REPLACE FUNCTION preview_chunk_revert(p_tenant uuid, p_chunk uuid, p_edit uuid) RETURNS TABLE (
    is_reverted boolean, sensitivity text, text text, importance numeric, is_retracted boolean, is_quarantined boolean,
    blocked_channels text[], is_superseded boolean, edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT side.reverted, k.sensitivity::text, span_of(c.body, f.span_start, f.span_end), f.importance::numeric(5,4),
        f.is_retracted, f.is_quarantined, f.blocked_channels, f.superseded_by IS NOT NULL, f.edits_applied
    FROM memory_chunk k
    CROSS JOIN (VALUES (false, '{}'::uuid[]), (true, ARRAY[p_edit])) side (reverted, also)
    CROSS JOIN LATERAL fold_memory(p_tenant, k.event_id, k.id, side.also) f
    LEFT JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = f.content_id
    WHERE k.tenant_id = p_tenant AND k.id = p_chunk AND f.chunk_id = p_chunk
    ORDER BY side.reverted;
END $$;

ALTER FUNCTION preview_chunk_revert OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION preview_chunk_revert TO suture_app, suture_review;
