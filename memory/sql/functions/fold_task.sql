-- The fold of one task: its newest update whose memory is neither retracted nor quarantined, else the newest that is
-- not retracted. If the words of that update were erased, the task is hidden until its next update: the update before
-- it would show an outdated state.
CREATE OR REPLACE FUNCTION fold_task(
    p_tenant uuid, p_task uuid,
    OUT update_id uuid, OUT event_id uuid, OUT content_id uuid, OUT details_id uuid, OUT status text, OUT ts timestamptz,
    OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    u memory_task;
    f record;
    standing int;
    best int := 0;
    erased boolean;
    about value_place;
BEGIN
    FOR u IN
        SELECT * FROM memory_task x WHERE x.tenant_id = p_tenant AND x.task_id = p_task ORDER BY x.ts DESC, x.id DESC
    LOOP
        SELECT * INTO f FROM fold_edits(p_tenant, u.id, (
            SELECT coalesce(array_agg(c.id), '{}') FROM memory_chunk c
            WHERE c.tenant_id = p_tenant AND c.event_id = u.event_id), 1, NULL);
        standing := CASE WHEN f.is_retracted THEN 1 WHEN f.is_quarantined THEN 2 ELSE 3 END;
        IF standing > best THEN
            best := standing;
            update_id := u.id; event_id := u.event_id; status := u.status; ts := u.ts;
            content_id := coalesce(f.content_id, u.content_id);
            details_id := CASE WHEN f.content_id IS NULL THEN u.details_id END;
            erased := NOT has_words(p_tenant, u.content_id, content_id);
            is_retracted := f.is_retracted OR erased;
            IF (erased OR has_guards(p_tenant)) AND NOT f.is_retracted THEN
                SELECT (place_of_event(e)).* INTO about FROM event_of(p_tenant, u.event_id) e;
                content_id := reworded_content(p_tenant, content_id, u.id, about, false);
                details_id := reworded_content(p_tenant, details_id, u.id, about, true);
                is_retracted := spared_text(p_tenant, u.content_id, u.id) IS NULL
                    OR NOT EXISTS (
                        SELECT FROM content_of(p_tenant, content_id) c
                        WHERE c.id = u.content_id OR value_words(c.body) <> '{}');
            END IF;
            is_quarantined := f.is_quarantined;
            blocked_channels := f.blocked_channels; edits_applied := f.edits_applied;
        END IF;
        EXIT WHEN best = 3;
    END LOOP;
END $$;
