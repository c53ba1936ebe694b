-- The edits of some targets that an approved revert cancels, or p_also, were it applied last. Newest first: a revert
-- cancels only what was applied before it, and may be cancelled by a later one. p_until looks at an earlier moment.
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
