-- executable by: suture_app
-- Record a person's verdict. Role, separation of duties and the reviewed patch are checked here again. Also returns the
-- state of the target at the decision, before the edit applied. `has_holds` says whether this made further edits, whose
-- ledger entries are still missing (owed_edits).
CREATE OR REPLACE FUNCTION record_verdict(
    p_tenant uuid, p_edit uuid, p_decision text, p_reason text, p_patch_sha256 bytea,
    p_target_state text,
    OUT verdict_id uuid, OUT status text, OUT applied_at timestamptz, OUT approvals smallint, OUT target_state text,
    OUT has_holds boolean
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    e governance_edit;
    s governance_editstate;
BEGIN
    -- 1. Lock it: a second reviewer waits here and then finds the edit decided.
    SELECT * INTO s FROM governance_editstate x WHERE x.tenant_id = p_tenant AND x.edit_id = p_edit FOR UPDATE;
    IF NOT FOUND THEN RAISE EXCEPTION 'there is no such edit' USING ERRCODE = 'SU404'; END IF;
    SELECT * INTO STRICT e FROM governance_edit x WHERE x.tenant_id = p_tenant AND x.id = p_edit;
    -- 2. Check the decider.
    IF me.kind <> 'human' OR NOT me.roles && '{reviewer,admin}' THEN
        RAISE EXCEPTION 'only a reviewer or admin of the tenant can decide an edit' USING ERRCODE = 'SU403';
    END IF;
    IF e.proposed_by = me.id THEN
        RAISE EXCEPTION 'you cannot decide an edit that you proposed' USING ERRCODE = 'SU403';
    END IF;
    -- 3. Check the reviewed edit and target.
    IF s.status <> 'pending' THEN
        RAISE EXCEPTION 'the edit is already %', s.status USING ERRCODE = 'SU409';
    END IF;
    IF e.patch_sha256 <> p_patch_sha256 THEN
        RAISE EXCEPTION 'the edit has a different patch from the one that was reviewed' USING ERRCODE = 'SU409';
    END IF;
    -- lock the target, so that no other verdict changes its reviewed state
    EXECUTE format('SELECT %I($1, $2, true)', 'state_of_' || e.target_type)
        INTO target_state USING p_tenant, e.target_id;
    IF target_state <> p_target_state THEN
        RAISE EXCEPTION 'the target has changed since it was reviewed'
            USING ERRCODE = 'SU409', CONSTRAINT = 'edit_target_is_stale';
    END IF;
    IF EXISTS (SELECT 1 FROM governance_verdict v
               WHERE v.tenant_id = p_tenant AND v.edit_id = p_edit AND v.decided_by = me.id) THEN
        RAISE EXCEPTION 'you have already decided this edit; another person must give the second approval'
            USING ERRCODE = 'SU409';
    END IF;
    IF p_decision = 'approved' AND e.proposer_kind = 'agent' AND EXISTS (
        SELECT FROM governance_agent a WHERE a.tenant_id = p_tenant AND a.id = e.proposed_by AND NOT a.is_active)
    THEN
        RAISE EXCEPTION 'Agent % is deactivated, so its edits cannot be approved. Reject this edit, or propose it yourself.',
            e.proposer USING ERRCODE = 'SU409', CONSTRAINT = 'proposer_deactivated';
    END IF;
    IF p_decision = 'approved' THEN
        PERFORM require_second_person(p_tenant, ARRAY[e.proposed_by, s.held_by] || ARRAY(
            SELECT v.decided_by FROM governance_verdict v
            WHERE v.tenant_id = p_tenant AND v.edit_id = p_edit AND v.decision = 'approved'));
    END IF;
    -- 4. Record the verdict and its consequences.
    verdict_id := new_id();
    INSERT INTO governance_verdict (tenant_id, id, edit_id, decision, decider_kind, decided_by, decider, decided_at,
        reason, proposed_by, patch_sha256)
    VALUES (p_tenant, verdict_id, p_edit, p_decision, 'human', me.id, me.name, clock_timestamp(), p_reason,
        e.proposed_by, e.patch_sha256);
    approvals := s.approvals;
    status := 'pending';
    IF p_decision = 'rejected' THEN
        status := 'rejected';
        UPDATE governance_editstate x SET status = 'rejected' WHERE x.tenant_id = p_tenant AND x.edit_id = p_edit;
    ELSE
        approvals := s.approvals + 1;
        UPDATE governance_editstate x SET approvals = s.approvals + 1
        WHERE x.tenant_id = p_tenant AND x.edit_id = p_edit;
        IF approvals >= e.approvals_required THEN
            applied_at := apply_edit(p_tenant, p_edit, me.name);
            status := 'approved';
        END IF;
    END IF;
    has_holds := EXISTS (SELECT FROM governance_owedentry o WHERE o.tenant_id = p_tenant);
END $$;
