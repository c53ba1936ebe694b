-- executable by: suture_app
-- Decide a pending erasure: approved (and executed at once) or rejected by an admin who did not propose it, or
-- withdrawn by its proposer. Returns the pending edits that the execution expired.
CREATE OR REPLACE FUNCTION decide_erasure(p_tenant uuid, p_erasure uuid, p_decision text, p_reason text)
RETURNS TABLE (edit_id uuid, verdict_id uuid)
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting_admin(p_tenant);
    s governance_erasurestate;
BEGIN
    -- Lock it: a second admin waits here and then finds the erasure decided.
    SELECT * INTO s FROM governance_erasurestate x WHERE x.tenant_id = p_tenant AND x.erasure_id = p_erasure FOR UPDATE;
    IF NOT FOUND THEN RAISE EXCEPTION 'there is no such erasure' USING ERRCODE = 'SU404'; END IF;
    IF p_decision NOT IN ('approved', 'rejected', 'withdrawn') THEN
        RAISE EXCEPTION 'the decision must be approved, rejected or withdrawn' USING ERRCODE = 'SU400';
    END IF;
    IF (p_decision = 'withdrawn') <> (s.proposed_by = me.id) THEN
        RAISE EXCEPTION '%', CASE p_decision WHEN 'withdrawn' THEN 'only the proposer of an erasure can withdraw it'
            ELSE 'you cannot decide an erasure that you proposed' END USING ERRCODE = 'SU403';
    END IF;
    IF s.status <> 'pending' THEN
        RAISE EXCEPTION 'the erasure is already %', s.status USING ERRCODE = 'SU409';
    END IF;
    IF p_decision = 'approved' THEN PERFORM require_second_person(p_tenant, ARRAY[s.proposed_by]); END IF;
    UPDATE governance_erasurestate x SET status = p_decision, decided_by = me.id, decider = me.name,
        decided_at = clock_timestamp(), decision_reason = p_reason
    WHERE x.tenant_id = p_tenant AND x.erasure_id = p_erasure;
    IF p_decision = 'approved' THEN RETURN QUERY SELECT * FROM erase_content(p_tenant, p_erasure); END IF;
END $$;
