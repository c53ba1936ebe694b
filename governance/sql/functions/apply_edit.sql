-- Bring an approved edit into effect: stamp it, then let its target's own app refold it (refold_<target_type>) and do
-- what follows from it, if anything (follow_edit_of_<target_type>). The caller has locked the target (lock_target,
-- lock_together), under which it is stamped: the order of application is the order in which the effects were committed.
CREATE OR REPLACE FUNCTION apply_edit(p_tenant uuid, p_edit uuid, p_approver text) RETURNS timestamptz LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE
    e governance_edit;
    applied timestamptz;
BEGIN
    SELECT * INTO STRICT e FROM governance_edit x WHERE x.tenant_id = p_tenant AND x.id = p_edit;
    applied := clock_timestamp();
    UPDATE governance_editstate s SET status = 'approved', applied_at = applied, approved_by = p_approver
    WHERE s.tenant_id = p_tenant AND s.edit_id = p_edit;
    EXECUTE format('SELECT %I($1, $2)', 'refold_' || e.target_type) USING p_tenant, e.target_id;
    IF to_regprocedure(format('%I(uuid,uuid)', 'follow_edit_of_' || e.target_type)) IS NOT NULL THEN
        EXECUTE format('SELECT %I($1, $2)', 'follow_edit_of_' || e.target_type) USING p_tenant, p_edit;
    END IF;
    RETURN applied;
END $$;
