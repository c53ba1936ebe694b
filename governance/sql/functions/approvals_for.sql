-- The approvals that the tenant's policy requires for an operation, a kind of proposer and a sensitivity of the target;
-- p_otherwise if it has no rule.
CREATE OR REPLACE FUNCTION approvals_for(
    p_tenant uuid, p_op text, p_kind text, p_sensitivity text, p_otherwise int DEFAULT 0
) RETURNS int LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN coalesce((
        SELECT r.approvals FROM governance_policyrule r
        WHERE r.tenant_id = p_tenant AND r.op = p_op AND r.proposer_kind = p_kind
          AND (r.sensitivity = p_sensitivity OR r.sensitivity IS NULL)
        ORDER BY r.sensitivity NULLS LAST LIMIT 1), p_otherwise);
END $$;
