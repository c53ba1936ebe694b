-- executable by: suture_app
-- Record a proposal; a second admin must decide it under any policy.
CREATE OR REPLACE FUNCTION propose_erasure(
    p_tenant uuid, p_id uuid, p_by text, p_target uuid, p_subject_type text, p_subject_id text, p_reason text
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting_admin(p_tenant);
BEGIN
    INSERT INTO governance_erasure (tenant_id, id, created_at, named_by, target_id, subject_type, subject_id, reason,
        proposed_by, proposer)
    VALUES (p_tenant, p_id, clock_timestamp(), p_by, p_target, p_subject_type, p_subject_id, p_reason, me.id,
        me.name);
    INSERT INTO governance_erasurestate (tenant_id, erasure_id, status, proposed_by, decision_reason)
    VALUES (p_tenant, p_id, 'pending', me.id, '');
END $$;
