-- Replace the tenant's rules with a preset's and overrides (policy_rules_of), and set the promotion thresholds in
-- p_promotion: then a job reevaluates all memory (promotion_cursor). A pending change with a time was proposed under
-- the old rules, so it now waits for a second admin.
CREATE OR REPLACE FUNCTION write_policy_rules(p_tenant uuid, p_preset text, p_overrides jsonb, p_promotion jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    DELETE FROM governance_policyrule r WHERE r.tenant_id = p_tenant;
    INSERT INTO governance_policyrule (tenant_id, id, op, proposer_kind, sensitivity, approvals)
    SELECT p_tenant, new_id(), x.op, x.proposer_kind, x.sensitivity, x.approvals
    FROM policy_rules_of(p_preset, p_overrides) x;
    UPDATE governance_tenant t SET policy = p_preset WHERE t.id = p_tenant;
    IF p_promotion IS NOT NULL THEN
        UPDATE governance_tenant t SET promotion_rules = t.promotion_rules || p_promotion,
            promotion_cursor = '00000000-0000-0000-0000-000000000000'
        WHERE t.id = p_tenant;
    END IF;
    UPDATE governance_policychangestate s SET takes_effect_at = NULL
    WHERE s.tenant_id = p_tenant AND s.status = 'pending' AND s.takes_effect_at IS NOT NULL;
END $$;
