-- The edits of some targets that are cancelled by an approved revert, or by p_also applied last. Newest first: a revert
-- cancels only an earlier edit, and a later revert may cancel it. p_until evaluates an earlier time.
CREATE OR REPLACE FUNCTION cancelled_edits(
    p_tenant uuid, p_targets uuid[], p_until timestamptz, p_also applied_edit DEFAULT NULL
) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    e record;
    cancelled uuid[] := '{}';
BEGIN
    FOR e IN
        SELECT x.id, x.reverts_id FROM applied_edits(p_tenant, p_targets, p_until, p_also) x WHERE x.op = 'revert'
        ORDER BY x.applied_at DESC, x.id DESC
    LOOP
        IF NOT e.id = ANY (cancelled) THEN cancelled := cancelled || e.reverts_id; END IF;
    END LOOP;
    RETURN cancelled;
END $$;
