GRANT CREATE ON SCHEMA public TO suture_gate;  -- CREATE OR REPLACE asks it of the functions' owner
SET ROLE suture_gate;
CREATE OR REPLACE FUNCTION cancelled_edits(p_tenant uuid, p_targets uuid[], p_until timestamptz) RETURNS uuid[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    e record;
    cancelled uuid[] := '{}';
BEGIN
    FOR e IN
        SELECT x.id, x.reverts_id FROM applied_edits(p_tenant, p_targets, p_until) x WHERE x.op = 'revert'
        ORDER BY x.applied_at DESC, x.id DESC
    LOOP
        IF NOT e.id = ANY (cancelled) THEN cancelled := cancelled || e.reverts_id; END IF;
    END LOOP;
    RETURN cancelled;
END $$;

CREATE OR REPLACE FUNCTION fold_edits(
    p_tenant uuid, p_target uuid, p_twins uuid[], p_importance numeric, p_until timestamptz,
    OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT content_id uuid,
    OUT importance numeric, OUT edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    e record;
    cancelled uuid[] := cancelled_edits(p_tenant, p_target || p_twins, p_until);
BEGIN
    is_retracted := false; is_quarantined := false; blocked_channels := '{}'; importance := p_importance;
    edits_applied := 0;
    FOR e IN
        SELECT * FROM applied_edits(p_tenant, p_target || p_twins, p_until) x
        WHERE x.op <> 'revert' AND NOT x.id = ANY (cancelled)
        ORDER BY x.applied_at, x.id
    LOOP
        CONTINUE WHEN e.target_id <> p_target
            AND (e.op = 'attenuate' OR e.op = 'amend' AND e.content_id IS NULL);
        edits_applied := edits_applied + 1;
        CASE e.op
            WHEN 'retract' THEN is_retracted := true;
            WHEN 'quarantine' THEN is_quarantined := true;
            WHEN 'block' THEN
                IF NOT e.channel = ANY (blocked_channels) THEN blocked_channels := blocked_channels || e.channel; END IF;
            WHEN 'amend' THEN
                content_id := coalesce(e.content_id, content_id);
                IF e.target_id = p_target THEN importance := coalesce(e.importance, importance); END IF;
            WHEN 'attenuate' THEN
                importance := greatest(0, least(1, coalesce(e.importance, importance + e.importance_delta)));
        END CASE;
    END LOOP;
    -- one order, whatever the order of the edits: the projection is compared with this
    SELECT coalesce(array_agg(c ORDER BY c), '{}') INTO blocked_channels FROM unnest(blocked_channels) c;
END $$;

DROP FUNCTION require_revertible(uuid,uuid,uuid);
DROP FUNCTION fold_edits(uuid,uuid,uuid[],numeric,timestamptz,uuid[]);
DROP FUNCTION cancelled_edits(uuid,uuid[],timestamptz,uuid[]);
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM suture_gate;
