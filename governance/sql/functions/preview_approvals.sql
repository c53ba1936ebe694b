-- executable by: suture_app
-- The approvals that an edit by the actor would need now (approvals_of_proposal); p_edit as for preview_edit.
CREATE OR REPLACE FUNCTION preview_approvals(
    p_tenant uuid, p_target_type text, p_target uuid, p_sensitivity text, p_edit jsonb
) RETURNS int LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    PERFORM require_target_type(p_target_type);
    RETURN (SELECT a.approvals FROM approvals_of_proposal(p_tenant, p_target_type, p_target, p_sensitivity, 1, false,
        proposed_edit(p_tenant, p_target, p_edit)) a);
END $$;
