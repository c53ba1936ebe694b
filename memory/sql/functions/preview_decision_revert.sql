-- The same of a decision.
CREATE OR REPLACE FUNCTION preview_decision_revert(p_tenant uuid, p_decision uuid, p_edit uuid) RETURNS TABLE (
    is_reverted boolean, sensitivity text, text text, importance numeric, is_retracted boolean, is_quarantined boolean,
    blocked_channels text[], is_superseded boolean, edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT side.reverted, d.sensitivity::text, c.body, f.importance::numeric(5,4), f.is_retracted, f.is_quarantined,
        f.blocked_channels, false, f.edits_applied
    FROM memory_decision d
    CROSS JOIN (VALUES (false, '{}'::uuid[]), (true, ARRAY[p_edit])) side (reverted, also)
    CROSS JOIN LATERAL fold_decision(p_tenant, d.id, side.also) f
    LEFT JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = f.content_id
    WHERE d.tenant_id = p_tenant AND d.id = p_decision
    ORDER BY side.reverted;
END $$;

ALTER FUNCTION preview_decision_revert OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION preview_decision_revert TO suture_app, suture_review;
