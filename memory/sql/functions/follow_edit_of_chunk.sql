-- The consequences of an edit of a chunk (apply_edit): if it hid an agent's own memory, the consolidations of it are
-- held. Among reverts, only the revert of a revert hides; after any other, what a reviewer has released stays released.
CREATE OR REPLACE FUNCTION follow_edit_of_chunk(p_tenant uuid, p_edit uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    target uuid;
    hidden uuid[];
BEGIN
    PERFORM hold_quotes(p_tenant, ARRAY(
        SELECT e.target_id FROM governance_edit e WHERE e.tenant_id = p_tenant AND e.id = p_edit));
    SELECT e.target_id INTO target FROM governance_edit e
    WHERE e.tenant_id = p_tenant AND e.id = p_edit AND (e.op IN ('retract', 'quarantine', 'block')
        OR e.op = 'revert' AND EXISTS (
            SELECT FROM governance_edit r WHERE r.tenant_id = p_tenant AND r.id = e.reverts_id AND r.op = 'revert'));
    IF NOT FOUND THEN RETURN; END IF;
    hidden := ARRAY(SELECT x.id FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.id = target AND x.seq IS NOT NULL
          AND is_edited_away(x));
    PERFORM hold_consolidations(p_tenant, hidden);
END $$;
