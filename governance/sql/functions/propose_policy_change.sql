-- Propose a policy. Under `strict` it waits for a second admin, who decides it; otherwise it applies at once.
CREATE OR REPLACE FUNCTION propose_policy_change(
    p_tenant uuid, p_preset text, p_overrides jsonb, p_reason text, OUT change_id uuid, OUT needs_second boolean
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE me acting_context := acting_admin(p_tenant);
BEGIN
    -- who makes the policy strict meanwhile waits, or is waited for
    SELECT t.policy = 'strict' INTO STRICT needs_second FROM governance_tenant t WHERE t.id = p_tenant FOR NO KEY UPDATE;
    change_id := new_id();
    INSERT INTO governance_policychange (tenant_id, id, created_at, preset, overrides, reason, proposed_by, proposer,
        needs_second)
    VALUES (p_tenant, change_id, clock_timestamp(), p_preset, p_overrides, p_reason, me.id, me.name, needs_second);
    INSERT INTO governance_policychangestate (tenant_id, change_id, status, proposed_by, needs_second)
    VALUES (p_tenant, change_id, 'pending', me.id, needs_second);
    PERFORM owe_entry(p_tenant, 'policy.proposed', change_id::text);
    IF NOT needs_second THEN PERFORM decide_policy_change(p_tenant, change_id, true); END IF;
END $$;

ALTER FUNCTION propose_policy_change OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION propose_policy_change TO suture_app;
