-- executable by: suture_app
-- Apply the policy changes that are due and were not rejected; called by a job. Returns them.
CREATE OR REPLACE FUNCTION apply_due_policy_changes(p_tenant uuid) RETURNS SETOF uuid LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE c governance_policychange;
BEGIN
    PERFORM require_job(p_tenant);
    -- Usually there is none. Applying one makes the others wait for a second admin (write_policy_rules).
    SELECT x.* INTO c FROM governance_policychangestate s
    JOIN governance_policychange x ON x.tenant_id = p_tenant AND x.id = s.change_id
    WHERE s.tenant_id = p_tenant AND s.status = 'pending' AND s.takes_effect_at <= statement_timestamp()
    ORDER BY s.takes_effect_at LIMIT 1;
    IF NOT FOUND THEN RETURN; END IF;
    -- lock the tenant first, as proposing and deciding do
    PERFORM FROM governance_tenant t WHERE t.id = p_tenant FOR NO KEY UPDATE;
    UPDATE governance_policychangestate s SET status = 'applied', decided_by = '00000000-0000-0000-0000-000000000000',
        decider = 'policy', decided_at = clock_timestamp(), takes_effect_at = NULL
    WHERE s.tenant_id = p_tenant AND s.change_id = c.id AND s.status = 'pending' AND s.takes_effect_at IS NOT NULL;
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM write_policy_rules(p_tenant, c.preset, c.overrides, c.promotion);
    PERFORM owe_entry(p_tenant, 'policy.changed', c.id::text);
    RETURN NEXT c.id;
END $$;
