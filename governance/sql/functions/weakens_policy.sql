-- Whether a policy requires fewer approvals anywhere than the one in force, or would end `strict`, under which a second
-- admin decides every policy change.
CREATE OR REPLACE FUNCTION weakens_policy(p_tenant uuid, p_preset text, p_overrides jsonb) RETURNS boolean LANGUAGE plpgsql
STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM governance_tenant t WHERE t.id = p_tenant AND t.policy = 'strict' AND p_preset <> 'strict'
    ) OR EXISTS (
        SELECT FROM (
            SELECT DISTINCT p.op, p.proposer_kind, CASE p.op WHEN 'decide' THEN 0 ELSE 2 END AS otherwise
            FROM preset_rules('strict') p) o
            CROSS JOIN unnest('{none,low,high,secret}'::text[]) s (sensitivity)
        -- without any rule an edit needs two approvals (record_edit), and a decision none (hold_decisions)
        WHERE coalesce((
            SELECT n.approvals FROM policy_rules_of(p_preset, p_overrides) n
            WHERE n.op = o.op AND n.proposer_kind = o.proposer_kind
              AND (n.sensitivity = s.sensitivity OR n.sensitivity IS NULL)
            ORDER BY n.sensitivity NULLS LAST LIMIT 1), o.otherwise)
        < coalesce((
            SELECT r.approvals FROM governance_policyrule r
            WHERE r.tenant_id = p_tenant AND r.op = o.op AND r.proposer_kind = o.proposer_kind
              AND (r.sensitivity = s.sensitivity OR r.sensitivity IS NULL)
            ORDER BY r.sensitivity NULLS LAST LIMIT 1), o.otherwise));
END $$;
