-- The fold as it would be without some edits: what a revert would make of a target, told by the fold itself.

-- The edits of some targets that an approved revert cancels, and those of p_also, as if a revert of each were applied
-- now. Newest first: a revert cancels only what was applied before it, and may be cancelled by a later one. p_until
-- looks at an earlier moment.
CREATE FUNCTION cancelled_edits(p_tenant uuid, p_targets uuid[], p_until timestamptz, p_also uuid[]) RETURNS uuid[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    e record;
    cancelled uuid[] := p_also;
BEGIN
    FOR e IN
        SELECT x.id, x.reverts_id FROM applied_edits(p_tenant, p_targets, p_until) x WHERE x.op = 'revert'
        ORDER BY x.applied_at DESC, x.id DESC
    LOOP
        IF NOT e.id = ANY (cancelled) THEN cancelled := cancelled || e.reverts_id; END IF;
    END LOOP;
    RETURN cancelled;
END $$;

-- The fold of one target (docs/effective-memory.md): approved edits that nothing cancels, in order of (applied_at, id);
-- p_also are cancelled besides. p_twins are the other records of the same memory: their retracts, quarantines, blocks
-- and amended texts hold here too, their importance does not. Exact decimal arithmetic, clamped to [0, 1]. p_until
-- folds as of an earlier moment.
CREATE FUNCTION fold_edits(
    p_tenant uuid, p_target uuid, p_twins uuid[], p_importance numeric, p_until timestamptz, p_also uuid[],
    OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT content_id uuid,
    OUT importance numeric, OUT edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    e record;
    cancelled uuid[] := cancelled_edits(p_tenant, p_target || p_twins, p_until, p_also);
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

-- Refuse, in the words of record_edit, to revert what cannot be: for a preview, which records nothing.
CREATE FUNCTION require_revertible(p_tenant uuid, p_target uuid, p_edit uuid) RETURNS void LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    IF NOT EXISTS (SELECT 1 FROM applied_edits(p_tenant, ARRAY[p_target], NULL) x WHERE x.id = p_edit) THEN
        RAISE EXCEPTION 'only an applied edit of the same target can be reverted' USING ERRCODE = 'SU409';
    END IF;
    IF p_edit = ANY (cancelled_edits(p_tenant, ARRAY[p_target], NULL)) THEN
        RAISE EXCEPTION 'the edit is reverted already' USING ERRCODE = 'SU409';
    END IF;
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'cancelled_edits(uuid,uuid[],timestamptz,uuid[])', 'fold_edits(uuid,uuid,uuid[],numeric,timestamptz,uuid[])',
    'require_revertible(uuid,uuid,uuid)'
]::regprocedure[]);

GRANT CREATE ON SCHEMA public TO suture_gate;  -- CREATE OR REPLACE asks it of the functions' owner
SET ROLE suture_gate;
-- the fold as it is: nothing is cancelled besides
CREATE OR REPLACE FUNCTION cancelled_edits(p_tenant uuid, p_targets uuid[], p_until timestamptz) RETURNS uuid[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN cancelled_edits(p_tenant, p_targets, p_until, '{}');
END $$;

CREATE OR REPLACE FUNCTION fold_edits(
    p_tenant uuid, p_target uuid, p_twins uuid[], p_importance numeric, p_until timestamptz,
    OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT content_id uuid,
    OUT importance numeric, OUT edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    SELECT f.is_retracted, f.is_quarantined, f.blocked_channels, f.content_id, f.importance, f.edits_applied
    INTO is_retracted, is_quarantined, blocked_channels, content_id, importance, edits_applied
    FROM fold_edits(p_tenant, p_target, p_twins, p_importance, p_until, '{}') f;
END $$;

GRANT EXECUTE ON FUNCTION require_revertible(uuid,uuid,uuid) TO suture_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM suture_gate;
