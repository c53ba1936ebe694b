-- executable by: suture_app
-- The edits whose entries this transaction owes the ledger (hold_target), in the order in which they were made.
CREATE OR REPLACE FUNCTION owed_edits(p_tenant uuid) RETURNS TABLE (
    edit_id uuid, op text, target_type text, target_id uuid, patch_sha256 bytea, reason text, policy text,
    approvals_required int, is_in_effect boolean
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT e.id, e.op, e.target_type, e.target_id, e.patch_sha256, e.reason, e.policy, e.approvals_required::int,
        o.type = 'edit.approved'
    FROM governance_owedentry o
    CROSS JOIN LATERAL (
        SELECT x.* FROM governance_edit x WHERE x.tenant_id = p_tenant AND x.id = o.mentions[1]::uuid LIMIT 1) e
    WHERE o.tenant_id = p_tenant AND o.type IN ('edit.approved', 'edit.proposed')
    ORDER BY o.id;
END $$;
