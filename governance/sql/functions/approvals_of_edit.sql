-- The approvals that an edit by the actor needs now, and what decides: the tenant's rule for the operation, and for an
-- agent also whose words the target has.
--   rule       the rule for the operation, the kind of the proposer and the sensitivity; without one, two approvals
--   own        an agent's retract of what it alone recorded and nobody else received: the rule `own`, unless the rule for
--              retract requires two approvals
--   received   an agent's retract of its own record that others have received: the rule for retract
--   protected  a person recorded the target or decided an edit of it, or others depend on it: the rule `protected`
--   limit      another agent's memory, after as many such edits as apply at once in an hour (agent_edits_per_hour)
--   bulk       a call with more edits than that
-- Where the rule `protected` needs no approval (the preset `open`), neither does anything else of this.
-- p_size: the edits of the call. p_locks: let concurrent edits of the same agent wait, so that none is counted twice.
CREATE OR REPLACE FUNCTION approvals_of_edit(
    p_tenant uuid, p_op text, p_target_type text, p_target uuid, p_sensitivity text, p_size int, p_locks boolean,
    OUT approvals int, OUT decided_by text, OUT is_counted boolean
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    a record;
    protected int;
    per_hour int;
BEGIN
    approvals := approvals_for(p_tenant, p_op, me.kind, p_sensitivity, 2);
    decided_by := 'rule';
    is_counted := false;
    IF me.kind <> 'agent' THEN RETURN; END IF;
    protected := approvals_for(p_tenant, 'protected', 'agent', p_sensitivity, 1);
    a := authorship_of_target(p_tenant, p_target_type, p_target);
    IF a.recorder_kind = 'human' OR a.recorded_by <> me.id AND a.is_guarded OR is_decided_by_person(p_tenant, a.targets) THEN
        IF protected > approvals THEN approvals := protected; decided_by := 'protected'; END IF;
        RETURN;
    END IF;
    SELECT t.agent_edits_per_hour INTO per_hour FROM governance_tenant t WHERE t.id = p_tenant;
    IF p_size > per_hour AND protected > approvals THEN
        approvals := protected; decided_by := 'bulk';
        RETURN;
    END IF;
    IF a.recorded_by = me.id THEN
        IF p_op = 'retract' AND NOT EXISTS (
            -- LIMIT prevents a join, which would read every edit of the tenant
            SELECT FROM applied_edits(p_tenant, a.targets, NULL) x CROSS JOIN LATERAL (
                SELECT FROM governance_edit e
                WHERE e.tenant_id = p_tenant AND e.id = x.id AND e.proposed_by <> me.id LIMIT 1) others)
        THEN
            decided_by := CASE WHEN a.is_received THEN 'received' ELSE 'own' END;
            IF NOT a.is_received AND approvals < 2 THEN approvals := approvals_for(p_tenant, 'own', 'agent', p_sensitivity, 1); END IF;
        END IF;
        RETURN;
    END IF;
    IF approvals > 0 OR protected = 0 THEN RETURN; END IF;
    IF p_locks THEN PERFORM pg_advisory_xact_lock(hashtextextended('edits of ' || me.id, 0)); END IF;
    is_counted := true;
    IF (SELECT count(*) FROM governance_editstate s
        WHERE s.tenant_id = p_tenant AND s.counts_against = me.id AND s.status = 'approved'
          AND s.created_at > clock_timestamp() - interval '1 hour' AND s.approved_by LIKE 'policy:%') >= per_hour
    THEN
        approvals := protected; decided_by := 'limit';
    END IF;
END $$;
