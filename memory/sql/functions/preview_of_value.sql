-- The fold of a value with p_also applied last (governance/sql/functions/preview_edit.sql): its text is what readers get
-- in its place.
CREATE OR REPLACE FUNCTION preview_of_value(p_tenant uuid, p_value uuid, p_also applied_edit)
RETURNS SETOF target_preview LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN QUERY
    SELECT 'none', jsonb_build_object('text', CASE
            WHEN f.content_id = p_also.content_id AND p_also.body IS NOT NULL THEN p_also.body ELSE coalesce(c.body, o.body) END),
        0::numeric(5,4), f.is_retracted, f.is_quarantined, f.blocked_channels, false, f.edits_applied, '{}'::text[],
        NULL::int[]
    FROM memory_value v
    CROSS JOIN LATERAL fold_edits(p_tenant, v.id, '{}', 0, NULL, p_also) f
    LEFT JOIN LATERAL content_of(p_tenant, f.content_id) c ON true
    LEFT JOIN LATERAL content_of(p_tenant, v.content_id) o ON true
    WHERE v.tenant_id = p_tenant AND v.id = p_value;
END $$;
