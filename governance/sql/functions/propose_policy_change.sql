-- executable by: suture_app
-- Propose a policy. It applies at once, unless it weakens the one in force: then it waits for a second admin, or takes
-- effect after an hour, in which others can see and reject it. Under `strict` a second admin always decides. Without a
-- preset, the current one stays with its overrides. p_promotion: promotion thresholds to change, by name.
CREATE OR REPLACE FUNCTION propose_policy_change(
    p_tenant uuid, p_preset text, p_overrides jsonb, p_reason text, p_promotion jsonb DEFAULT NULL,
    OUT change_id uuid, OUT needs_second boolean
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting_admin(p_tenant);
    is_strict boolean;
    created timestamptz := clock_timestamp();
BEGIN
    -- serialise with a concurrent change to a strict policy
    SELECT t.policy = 'strict', coalesce(p_preset, t.policy),
        CASE WHEN p_preset IS NULL THEN overrides_of(p_tenant) ELSE p_overrides END
    INTO STRICT is_strict, p_preset, p_overrides FROM governance_tenant t WHERE t.id = p_tenant FOR NO KEY UPDATE;
    -- a pending change must not fail when it is due
    IF EXISTS (
        SELECT FROM policy_rules_of(p_preset, p_overrides) x
        WHERE (x.sensitivity IS NULL OR x.sensitivity IN ('none', 'low', 'high', 'secret')) IS NOT TRUE
           OR (x.approvals BETWEEN 0 AND 2) IS NOT TRUE
           OR (x.proposer_kind IN ('human', 'agent')) IS NOT TRUE
           OR NOT EXISTS (SELECT FROM preset_rules('strict') p WHERE p.op = x.op))
    THEN
        RAISE EXCEPTION 'a rule of the policy is not valid' USING ERRCODE = 'SU400';
    END IF;
    PERFORM check_promotion_rules(p_promotion);
    needs_second := is_strict OR weakens_policy(p_tenant, p_preset, p_overrides)
        OR coalesce(weakens_promotion(p_tenant, p_promotion), false);
    change_id := new_id();
    INSERT INTO governance_policychange (tenant_id, id, created_at, preset, overrides, promotion, reason,
        proposed_by, proposer, needs_second)
    VALUES (p_tenant, change_id, created, p_preset, p_overrides, p_promotion, p_reason, me.id, me.name, needs_second);
    INSERT INTO governance_policychangestate (tenant_id, change_id, status, proposed_by, needs_second, takes_effect_at)
    VALUES (p_tenant, change_id, 'pending', me.id, needs_second,
        CASE WHEN needs_second AND NOT is_strict THEN created + interval '1 hour' END);
    PERFORM owe_entry(p_tenant, 'policy.proposed', change_id::text);
    IF NOT needs_second THEN PERFORM decide_policy_change(p_tenant, change_id, true); END IF;
END $$;
