-- End a pending edit without effect: its proposer withdraws it (withdraw_edit), or it expires (p_by NULL: expire_edit,
-- erase_content).
CREATE OR REPLACE FUNCTION end_edit(p_tenant uuid, p_edit uuid, p_by_kind text, p_by uuid, p_reason text) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    e governance_edit;
    s governance_editstate;
    ended text := CASE WHEN p_by IS NULL THEN 'expired' ELSE 'withdrawn' END;
    verdict uuid := new_id();
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT * INTO s FROM governance_editstate x WHERE x.tenant_id = p_tenant AND x.edit_id = p_edit FOR UPDATE;
    IF NOT FOUND THEN RAISE EXCEPTION 'there is no such edit' USING ERRCODE = 'SU404'; END IF;
    SELECT * INTO STRICT e FROM governance_edit x WHERE x.tenant_id = p_tenant AND x.id = p_edit;
    IF p_by IS NOT NULL AND (e.proposed_by <> p_by OR e.proposer_kind <> p_by_kind) THEN
        RAISE EXCEPTION 'only the proposer of an edit can withdraw it' USING ERRCODE = 'SU403';
    END IF;
    IF s.status <> 'pending' THEN RAISE EXCEPTION 'the edit is already %', s.status USING ERRCODE = 'SU409'; END IF;
    INSERT INTO governance_verdict (tenant_id, id, edit_id, decision, decider_kind, decided_by, decider, decided_at,
        reason, proposed_by, patch_sha256)
    VALUES (p_tenant, verdict, p_edit, ended, CASE WHEN p_by IS NULL THEN 'policy' ELSE p_by_kind END, p_by,
        CASE WHEN p_by IS NULL THEN 'policy:' || e.policy ELSE e.proposer END, clock_timestamp(), p_reason,
        e.proposed_by, e.patch_sha256);
    UPDATE governance_editstate x SET status = ended WHERE x.tenant_id = p_tenant AND x.edit_id = p_edit;
    RETURN verdict;
END $$;
