-- A capsule as it is and as it would be, were p_edit reverted now; with its words, also of a retracted one: whether the
-- caller may read it is for the service to ask.
CREATE OR REPLACE FUNCTION preview_capsule_revert(p_tenant uuid, p_capsule uuid, p_edit uuid) RETURNS TABLE (
    is_reverted boolean, sensitivity text, text text, risks text, importance numeric, is_retracted boolean,
    is_quarantined boolean, blocked_channels text[], is_superseded boolean, edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT side.reverted, k.sensitivity::text, CASE WHEN f.note_id IS NULL THEN '' ELSE note_in(n.body) END,
        CASE WHEN f.risks_id IS NULL THEN '[]' ELSE risks_in(r.body) END, f.importance::numeric(5,4), f.is_retracted,
        f.is_quarantined, f.blocked_channels, false, f.edits_applied
    FROM capsules_capsule k
    CROSS JOIN (VALUES (false, '{}'::uuid[]), (true, ARRAY[p_edit])) side (reverted, also)
    CROSS JOIN LATERAL fold_capsule(p_tenant, k.id, side.also) f
    LEFT JOIN governance_content n ON n.tenant_id = p_tenant AND n.id = f.note_id
    LEFT JOIN governance_content r ON r.tenant_id = p_tenant AND r.id = f.risks_id
    WHERE k.tenant_id = p_tenant AND k.id = p_capsule
    ORDER BY side.reverted;
END $$;

ALTER FUNCTION preview_capsule_revert OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION preview_capsule_revert TO suture_app, suture_review;
