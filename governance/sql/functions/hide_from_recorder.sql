-- Hide an agent's own record from its own reads, by an ordinary edit that the policy `own` applies: a block for the agent
-- instead of a channel. Others read it until people have decided the agent's retract. The edit owes the ledger an entry.
CREATE OR REPLACE FUNCTION hide_from_recorder(p_tenant uuid, p_type text, p_target uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    hidden uuid := new_id();
    label text := 'agent:' || me.id;
    -- patch_hash()
    digest bytea := sha256(convert_to(format('{"op":"block","patch":{"channel":"%s"},"target_id":"%s","target_type":"%s"}',
        label, p_target, p_type), 'UTF8'));
BEGIN
    INSERT INTO governance_edit (tenant_id, id, created_at, target_type, target_id, op, reason, proposer_kind,
        proposed_by, proposer, channel, patch_sha256, approvals_required, policy)
    VALUES (p_tenant, hidden, clock_timestamp(), p_type, p_target, 'block',
        'The agent retracted its own record, which others have received.', me.kind, me.id, me.name, label, digest, 0, 'own');
    INSERT INTO governance_editstate (tenant_id, edit_id, status, approvals, created_at)
    VALUES (p_tenant, hidden, 'pending', 0, clock_timestamp());
    INSERT INTO governance_verdict (tenant_id, id, edit_id, decision, decider_kind, decider, decided_at, reason,
        proposed_by, patch_sha256)
    VALUES (p_tenant, new_id(), hidden, 'approved', 'policy', 'policy:own', clock_timestamp(), '', me.id, digest);
    PERFORM owe_entry(p_tenant, 'edit.approved', hidden::text);
    PERFORM apply_edit(p_tenant, hidden, 'policy:own');
END $$;
