-- Hold those of the actor's new decisions that are rules (scope policy or global) and that the tenant's policy puts in
-- force only after approval: its rules for the operation `decide` (hold_target).
CREATE OR REPLACE FUNCTION hold_decisions(p_tenant uuid, p_decisions uuid[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    d record;
BEGIN
    FOR d IN
        SELECT x.id, approvals_for(p_tenant, 'decide', me.kind, x.sensitivity) AS approvals FROM memory_decision x
        WHERE x.tenant_id = p_tenant AND x.id = ANY (p_decisions) AND x.scope IN ('policy', 'global')
        ORDER BY x.id
    LOOP
        IF d.approvals > 0 THEN
            PERFORM hold_target(p_tenant, 'decision', d.id, 'decide', me,
                'The policy puts this decision in force after approval.', 'Put the decision in force.', d.approvals);
        END IF;
    END LOOP;
END $$;
