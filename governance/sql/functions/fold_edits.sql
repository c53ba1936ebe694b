-- executable by: suture_owner
-- The fold of one target (docs/effective-memory.md): approved edits that are not cancelled, in order of (applied_at,
-- id), and then p_also, an unrecorded edit applied last, for previews. p_twins are the other records of the same
-- memory: their retracts, quarantines, blocks, audiences and amended texts apply here too, their importance does not.
-- Exact decimal arithmetic, clamped to [0, 1]. p_until folds as of an earlier time. `audience` is NULL without an edit of it.
CREATE OR REPLACE FUNCTION fold_edits(
    p_tenant uuid, p_target uuid, p_twins uuid[], p_importance numeric, p_until timestamptz DEFAULT NULL,
    p_also applied_edit DEFAULT NULL,
    OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT content_id uuid,
    OUT importance numeric, OUT edits_applied int, OUT audience int[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    e record;
    cancelled uuid[] := cancelled_edits(p_tenant, p_target || p_twins, p_until, p_also);
BEGIN
    is_retracted := false; is_quarantined := false; blocked_channels := '{}'; importance := p_importance;
    edits_applied := 0;
    FOR e IN
        SELECT * FROM applied_edits(p_tenant, p_target || p_twins, p_until, p_also) x
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
            WHEN 'audience' THEN audience := e.audience;
            WHEN 'amend' THEN
                content_id := coalesce(e.content_id, content_id);
                IF e.target_id = p_target THEN importance := coalesce(e.importance, importance); END IF;
            WHEN 'attenuate' THEN
                importance := greatest(0, least(1, coalesce(e.importance, importance + e.importance_delta)));
        END CASE;
    END LOOP;
    -- sorted, because the projection is compared with this
    SELECT coalesce(array_agg(c ORDER BY c), '{}') INTO blocked_channels FROM unnest(blocked_channels) c;
END $$;
