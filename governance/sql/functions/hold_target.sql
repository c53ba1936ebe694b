-- Hold a target until it is approved, by two ordinary edits of p_author: a quarantine, which the policy p_policy
-- applies, and its pending revert, whose approval by p_approvals people shows the target again. Each owes the ledger an
-- entry.
CREATE OR REPLACE FUNCTION hold_target(
    p_tenant uuid, p_type text, p_target uuid, p_policy text, p_author acting_context, p_reason text,
    p_release_reason text, p_approvals int
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    hold uuid := new_id();
    release uuid := new_id();
    target text := format('"target_id":"%s","target_type":"%s"', p_target, p_type);
BEGIN
    -- patch_hash() of both
    INSERT INTO governance_edit (tenant_id, id, created_at, target_type, target_id, op, reason, proposer_kind,
        proposed_by, proposer, reverts_id, patch_sha256, approvals_required, policy)
    VALUES
        (p_tenant, hold, clock_timestamp(), p_type, p_target, 'quarantine', p_reason, p_author.kind, p_author.id,
         p_author.name, NULL, sha256(convert_to(format('{"op":"quarantine","patch":{},%s}', target), 'UTF8')), 0, p_policy),
        (p_tenant, release, clock_timestamp(), p_type, p_target, 'revert', p_release_reason, p_author.kind, p_author.id,
         p_author.name, hold,
         sha256(convert_to(format('{"op":"revert","patch":{"edit_id":"%s"},%s}', hold, target), 'UTF8')), p_approvals,
         (SELECT t.policy FROM governance_tenant t WHERE t.id = p_tenant));
    INSERT INTO governance_editstate (tenant_id, edit_id, status, approvals, created_at, held_by)
    VALUES (p_tenant, hold, 'pending', 0, clock_timestamp(), p_author.held_by),
        (p_tenant, release, 'pending', 0, clock_timestamp(), p_author.held_by);
    INSERT INTO governance_verdict (tenant_id, id, edit_id, decision, decider_kind, decider, decided_at, reason,
        proposed_by, patch_sha256)
    SELECT p_tenant, new_id(), e.id, 'approved', 'policy', 'policy:' || p_policy, clock_timestamp(), '', p_author.id,
        e.patch_sha256
    FROM governance_edit e WHERE e.tenant_id = p_tenant AND e.id = hold;
    PERFORM owe_entry(p_tenant, 'edit.approved', hold::text), owe_entry(p_tenant, 'edit.proposed', release::text);
    PERFORM lock_target(p_tenant, p_type, p_target);
    PERFORM apply_edit(p_tenant, hold, 'policy:' || p_policy);
END $$;
