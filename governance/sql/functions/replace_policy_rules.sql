-- executable by: suture_app
-- Replace the tenant's rules with those of a preset, at once. The operator may do this, and the person who creates the
-- tenant, which has no rules yet. Admins propose a change (propose_policy_change).
CREATE OR REPLACE FUNCTION replace_policy_rules(p_tenant uuid, p_preset text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE me acting_context := acting_manager(p_tenant);
BEGIN
    PERFORM FROM governance_tenant t WHERE t.id = p_tenant FOR NO KEY UPDATE;
    IF me.kind <> 'system' AND EXISTS (SELECT FROM governance_policyrule r WHERE r.tenant_id = p_tenant) THEN
        RAISE EXCEPTION 'only the operator can replace the policy at once' USING ERRCODE = 'SU403';
    END IF;
    PERFORM write_policy_rules(p_tenant, p_preset, '[]', NULL);
    PERFORM owe_entry(p_tenant, 'policy.changed', p_preset);
END $$;
