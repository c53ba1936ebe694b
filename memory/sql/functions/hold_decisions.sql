-- Hold those of the actor's new decisions that are rules (scope policy or global) and that the tenant's policy puts in
-- force only after approval: its rules for the operation `decide`. A hold is two ordinary edits: a quarantine, which the
-- policy applies, and the pending revert of it, whose approval puts the decision in force. Each owes the ledger its
-- entry.
CREATE OR REPLACE FUNCTION hold_decisions(p_tenant uuid, p_decisions uuid[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    me acting_context := acting(p_tenant);
    hold uuid;
    release uuid;
    d record;
BEGIN
    FOR d IN
        SELECT x.id, n.approvals, t.policy,
            format('"target_id":"%s","target_type":"decision"', x.id) AS target
        FROM memory_decision x
        CROSS JOIN LATERAL (
            SELECT r.approvals FROM governance_policyrule r
            WHERE r.tenant_id = p_tenant AND r.op = 'decide' AND r.proposer_kind = me.kind
              AND (r.sensitivity = x.sensitivity OR r.sensitivity IS NULL)
            ORDER BY r.sensitivity NULLS LAST LIMIT 1
        ) n
        JOIN governance_tenant t ON t.id = p_tenant
        WHERE x.tenant_id = p_tenant AND x.id = ANY (p_decisions) AND x.scope IN ('policy', 'global') AND n.approvals > 0
        ORDER BY x.id
    LOOP
        hold := new_id(); release := new_id();
        -- patch_hash() of both
        INSERT INTO governance_edit (tenant_id, id, created_at, target_type, target_id, op, reason, proposer_kind,
            proposed_by, proposer, reverts_id, patch_sha256, approvals_required, policy)
        VALUES
            (p_tenant, hold, clock_timestamp(), 'decision', d.id, 'quarantine',
             'The policy puts this decision in force after approval.', me.kind, me.id, me.name, NULL,
             sha256(convert_to(format('{"op":"quarantine","patch":{},%s}', d.target), 'UTF8')), 0, 'decide'),
            (p_tenant, release, clock_timestamp(), 'decision', d.id, 'revert',
             'Put the decision in force.', me.kind, me.id, me.name, hold,
             sha256(convert_to(format('{"op":"revert","patch":{"edit_id":"%s"},%s}', hold, d.target), 'UTF8')),
             d.approvals, d.policy);
        INSERT INTO governance_editstate (tenant_id, edit_id, status, approvals, created_at, held_by)
        VALUES (p_tenant, hold, 'pending', 0, clock_timestamp(), me.held_by),
            (p_tenant, release, 'pending', 0, clock_timestamp(), me.held_by);
        INSERT INTO governance_verdict (tenant_id, id, edit_id, decision, decider_kind, decider, decided_at, reason,
            proposed_by, patch_sha256)
        SELECT p_tenant, new_id(), e.id, 'approved', 'policy', 'policy:decide', clock_timestamp(), '', me.id,
            e.patch_sha256
        FROM governance_edit e WHERE e.tenant_id = p_tenant AND e.id = hold;
        PERFORM apply_edit(p_tenant, hold, 'policy:decide');
        PERFORM owe_entry(p_tenant, 'edit.approved', hold::text), owe_entry(p_tenant, 'edit.proposed', release::text);
    END LOOP;
END $$;

ALTER FUNCTION hold_decisions OWNER TO suture_gate;
