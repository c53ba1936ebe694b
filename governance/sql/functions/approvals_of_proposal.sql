-- The approvals that p_also, an edit of the actor that is not recorded yet, needs now, and what decides (approvals_of_edit).
-- An edit of the audience that lets nobody else hear the target is decided as a block is. Any other, and a revert that
-- widens the audience, waits for a person if an agent proposes it (`widens`); by a person it is decided as an amend is.
CREATE OR REPLACE FUNCTION approvals_of_proposal(
    p_tenant uuid, p_target_type text, p_target uuid, p_sensitivity text, p_size int, p_locks boolean, p_also applied_edit,
    OUT approvals int, OUT decided_by text, OUT is_counted boolean
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    decided_as text := p_also.op;
    is_wider boolean := false;
BEGIN
    IF p_also.op = 'audience' OR p_also.op = 'revert' AND me.kind = 'agent' THEN
        is_wider := widens_audience(p_tenant, p_target_type, p_target, p_also);
    END IF;
    IF p_also.op = 'audience' THEN
        decided_as := CASE WHEN is_wider AND me.kind <> 'agent' THEN 'amend' ELSE 'block' END;
    END IF;
    SELECT e.approvals, e.decided_by, e.is_counted INTO approvals, decided_by, is_counted
    FROM approvals_of_edit(p_tenant, decided_as, p_target_type, p_target, p_sensitivity, p_size, p_locks) e;
    IF is_wider AND me.kind = 'agent' AND approvals = 0 THEN approvals := 1; decided_by := 'widens'; END IF;
END $$;
