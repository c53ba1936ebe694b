-- executable by: suture_app
-- Record a proposal under the policy in force, and apply it at once if the policy requires no approval. p_salt is the
-- salt of the text, if any (record_edit_of_locked). `has_holds` says whether this made further edits, whose ledger
-- entries are still missing (owed_edits).
CREATE OR REPLACE FUNCTION record_edit(
    p_tenant uuid, p_id uuid, p_target_type text, p_target_id uuid, p_sensitivity text, p_op text, p_reason text,
    p_text text, p_salt bytea, p_importance numeric,
    p_importance_delta numeric, p_channel text, p_audience text[], p_reverts uuid, p_patch_sha256 bytea, p_batch uuid,
    OUT status text, OUT applied_at timestamptz, OUT approvals_required smallint, OUT policy text,
    OUT decided_by text, OUT has_holds boolean
) LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM acting_writer(p_tenant);
    IF p_audience <> '{}' THEN PERFORM intern_audience(p_tenant, p_audience); END IF;  -- before the lock (there)
    PERFORM lock_target(p_tenant, p_target_type, p_target_id);
    SELECT r.status, r.applied_at, r.approvals_required, r.policy, r.decided_by
    INTO status, applied_at, approvals_required, policy, decided_by
    FROM record_edit_of_locked(p_tenant, p_id, p_target_type, p_target_id, p_sensitivity, p_op, p_reason, p_text, p_salt,
        p_importance, p_importance_delta, p_channel, p_audience, p_reverts, p_patch_sha256, p_batch, 1) r;
    has_holds := EXISTS (SELECT FROM governance_owedentry o WHERE o.tenant_id = p_tenant);
END $$;
