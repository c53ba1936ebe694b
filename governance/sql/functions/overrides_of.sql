-- executable by: suture_app
-- The rules in force that differ from the tenant's preset, as overrides of a policy change.
CREATE OR REPLACE FUNCTION overrides_of(p_tenant uuid) RETURNS jsonb LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN (
        SELECT coalesce(jsonb_agg(jsonb_build_object('op', r.op, 'proposer_kind', r.proposer_kind, 'sensitivity',
            r.sensitivity, 'approvals', r.approvals) ORDER BY r.op, r.proposer_kind, r.sensitivity), '[]')
        FROM governance_policyrule r JOIN governance_tenant t ON t.id = p_tenant
        WHERE r.tenant_id = p_tenant AND NOT EXISTS (
            SELECT FROM preset_rules(t.policy) p WHERE p.op = r.op AND p.proposer_kind = r.proposer_kind
              AND r.sensitivity IS NULL AND p.approvals = r.approvals));
END $$;
