-- The fold of one capsule. If p_also is given, an edit that is not recorded yet, it counts as applied last. The note
-- and the risks each come from the last amend that replaces them.
CREATE OR REPLACE FUNCTION fold_capsule(
    p_tenant uuid, p_capsule uuid, p_also applied_edit DEFAULT NULL,
    OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT note_id uuid,
    OUT risks_id uuid, OUT importance numeric, OUT edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    c capsules_capsule;
    f record;
    e record;
    origins uuid[] := ARRAY(SELECT capsule_origins(p_tenant, p_capsule));
    cancelled uuid[];
    words json;
BEGIN
    SELECT * INTO STRICT c FROM capsules_capsule x WHERE x.tenant_id = p_tenant AND x.id = p_capsule;
    SELECT * INTO f FROM fold_edits(p_tenant, c.id, origins, 0.5, NULL, p_also);
    is_retracted := f.is_retracted; is_quarantined := f.is_quarantined; blocked_channels := f.blocked_channels;
    importance := f.importance; edits_applied := f.edits_applied;
    note_id := c.note_id; risks_id := c.risks_id;
    IF f.content_id IS NULL THEN RETURN; END IF;  -- no amend of words
    cancelled := cancelled_edits(p_tenant, c.id || origins, NULL, p_also);
    FOR e IN
        SELECT x.content_id, coalesce(x.body, (
            SELECT w.body FROM content_left(p_tenant, x.content_id, c.id) w)) AS body
        FROM applied_edits(p_tenant, c.id || origins, NULL, p_also) x
        WHERE x.op = 'amend' AND x.content_id IS NOT NULL AND NOT x.id = ANY (cancelled)
        ORDER BY x.applied_at, x.id
    LOOP
        words := capsule_amend(e.body);
        -- an erased amend (no body) may have replaced either, so it withholds both
        IF e.body IS NULL OR words -> 'text' IS NOT NULL THEN note_id := e.content_id; END IF;
        IF e.body IS NULL OR words -> 'risks' IS NOT NULL THEN risks_id := e.content_id; END IF;
    END LOOP;
END $$;
