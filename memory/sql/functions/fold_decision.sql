-- The fold of one decision. If p_also is given, an edit that is not recorded yet, it counts as applied last. A decision
-- that supersedes this one counts only while it is neither retracted nor quarantined itself. Guards change its texts
-- (reworded_content).
CREATE OR REPLACE FUNCTION fold_decision(
    p_tenant uuid, p_decision uuid, p_also applied_edit DEFAULT NULL,
    OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT content_id uuid,
    OUT details_id uuid, OUT importance numeric, OUT edits_applied int, OUT status text
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    d memory_decision;
    f record;
    erased boolean;
    about value_place;
BEGIN
    SELECT * INTO STRICT d FROM memory_decision x WHERE x.tenant_id = p_tenant AND x.id = p_decision;
    SELECT * INTO f FROM fold_edits(p_tenant, d.id, (
        SELECT coalesce(array_agg(c.id), '{}') FROM memory_chunk c
        WHERE c.tenant_id = p_tenant AND c.event_id = d.event_id), 1, NULL, p_also);
    is_quarantined := f.is_quarantined; blocked_channels := f.blocked_channels;
    importance := f.importance; edits_applied := f.edits_applied;
    content_id := coalesce(f.content_id, d.content_id);
    erased := NOT has_words(p_tenant, d.content_id, content_id, p_also);
    is_retracted := f.is_retracted OR erased;
    -- rationale and alternatives may repeat what was corrected
    details_id := CASE WHEN f.content_id IS NULL THEN d.details_id END;
    IF (erased OR has_guards(p_tenant)) AND NOT f.is_retracted AND content_id IS DISTINCT FROM p_also.content_id THEN
        SELECT (place_of_event(e)).* INTO about FROM event_of(p_tenant, d.event_id) e;
        content_id := reworded_content(p_tenant, content_id, d.id, about, false);
        details_id := reworded_content(p_tenant, details_id, d.id, about, true);
        is_retracted := spared_text(p_tenant, d.content_id, d.id) IS NULL OR NOT EXISTS (
            SELECT FROM content_of(p_tenant, content_id) c WHERE c.id = d.content_id OR value_words(c.body) <> '{}');
    END IF;
    status := 'active';
    IF EXISTS (
        SELECT 1 FROM memory_decision later CROSS JOIN LATERAL (
            SELECT y.is_quarantined, y.is_retracted, y.content_id FROM memory_effectivedecision y
            WHERE y.tenant_id = p_tenant AND y.id = later.id LIMIT 1) x
        WHERE later.tenant_id = p_tenant AND later.supersedes_id = p_decision AND NOT x.is_quarantined
          -- an erased successor still counts: the decision that it superseded stays out of force
          AND (NOT x.is_retracted OR NOT has_words(p_tenant, later.content_id, x.content_id) AND NOT (
              SELECT g.is_retracted FROM fold_edits(p_tenant, later.id, (
                  SELECT coalesce(array_agg(c.id), '{}') FROM memory_chunk c
                  WHERE c.tenant_id = p_tenant AND c.event_id = later.event_id), 1, NULL, p_also) g))
    ) THEN status := 'superseded'; END IF;
END $$;
