-- executable by: suture_app
-- Apply or reject a pending policy change; its proposer cannot apply one that needs a second admin.
CREATE OR REPLACE FUNCTION decide_policy_change(p_tenant uuid, p_change uuid, p_apply boolean, OUT refusal text)
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting_admin(p_tenant);
    c governance_policychange;
BEGIN
    SELECT * INTO c FROM governance_policychange x WHERE x.tenant_id = p_tenant AND x.id = p_change;
    IF NOT FOUND THEN refusal := 'no_such_policy_change'; RETURN; END IF;
    IF p_apply AND c.needs_second AND c.proposed_by = me.id THEN refusal := 'own_policy_change'; RETURN; END IF;
    IF p_apply AND c.needs_second THEN PERFORM require_second_person(p_tenant, ARRAY[c.proposed_by]); END IF;
    -- lock the tenant first, as proposing does
    PERFORM FROM governance_tenant t WHERE t.id = p_tenant FOR NO KEY UPDATE;
    UPDATE governance_policychangestate s SET status = CASE WHEN p_apply THEN 'applied' ELSE 'rejected' END,
        decided_by = me.id, decider = me.name, decided_at = clock_timestamp(), takes_effect_at = NULL
    WHERE s.tenant_id = p_tenant AND s.change_id = p_change AND s.status = 'pending';
    IF NOT FOUND THEN refusal := 'policy_change_not_pending'; RETURN; END IF;
    IF p_apply THEN PERFORM write_policy_rules(p_tenant, c.preset, c.overrides, c.promotion); END IF;
    PERFORM owe_entry(p_tenant, CASE WHEN p_apply THEN 'policy.changed' ELSE 'policy.rejected' END, p_change::text);
END $$;
