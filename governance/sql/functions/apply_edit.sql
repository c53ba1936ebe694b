-- Apply an approved edit: set its time, let its target's app refold the target (refold_<target_type>) and apply further
-- consequences, if any (follow_edit_of_<target_type>). The caller has locked the target (lock_target, lock_together),
-- so the times of application have the order in which the effects were committed.
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
