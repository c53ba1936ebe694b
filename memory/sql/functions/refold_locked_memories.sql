-- Update the projections of the memories that have these chunks, which the caller has locked (lock_memory,
-- lock_together_of_memory), from their folds. For an agent's own memory also those that it replaces or no longer
-- replaces, which lock_memory locks with it. Locking each of these again would lock all of them each time: a
-- consolidation of 1,000 memories took minutes. What neighbours borrow is computed once for all. If the text stays, the
-- row keeps its stored search vector, so that the update can leave the indexes alone (HOT): PostgreSQL compares bytes,
-- and a new vector is not compressed yet.
CREATE OR REPLACE FUNCTION refold_locked_memories(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    spoken regconfig := search_language(p_tenant);
    memory record;
    one record;
    d record;
    task uuid;
    changed uuid[] := '{}';  -- chunks whose text changed or was removed
    shown uuid[] := '{}';    -- chunks that became visible or hidden: promotion is due
    turned uuid[] := '{}';   -- chunks that became visible or hidden: the chunks that they superseded change too
    corrected uuid[] := '{}';  -- chunks of files whose neighbours lose or regain shared words
    heard_anew uuid[] := '{}'; -- chunks whose audience changed: what was made from them follows
    lending uuid[] := '{}';  -- those, and chunks whose readers changed
    events uuid[] := '{}';
BEGIN
    FOR memory IN
        SELECT DISTINCT k.event_id, CASE WHEN k.event_id IS NULL THEN k.id END AS chunk_id
        FROM unnest(p_chunks) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k ORDER BY 1, 2
    LOOP
        WITH folded AS (UPDATE memory_effectivechunk x SET is_retracted = f.is_retracted,
            is_quarantined = f.is_quarantined,
            blocked_channels = f.blocked_channels, content_id = f.content_id, span_start = f.span_start,
            span_end = f.span_end, importance = f.importance, superseded_by = f.superseded_by,
            is_superseded = f.is_superseded, edits_applied = f.edits_applied, tags = f.tags,
            audience = f.audience,
            text = CASE WHEN NOT (f.is_retracted OR x.is_expired) THEN w.text END,
            tsv = CASE WHEN f.is_retracted OR x.is_expired THEN NULL
                WHEN x.tsv IS NOT NULL AND (x.content_id, x.span_start, x.span_end)
                    IS NOT DISTINCT FROM (f.content_id, f.span_start, f.span_end) THEN x.tsv
                ELSE text_vector(spoken, w.text) END,
            lex = CASE WHEN NOT (f.is_retracted OR x.is_expired) THEN x.lex END,
            metadata = CASE WHEN NOT (f.is_retracted OR x.is_expired) THEN (labels_of_event(p_tenant, x.event_id)).metadata END
        FROM folded_memory(p_tenant, memory.event_id, memory.chunk_id) f
        JOIN memory_effectivechunk before ON before.tenant_id = p_tenant AND before.id = f.chunk_id
        LEFT JOIN LATERAL (
            SELECT f.reworded AS text WHERE f.reworded IS NOT NULL
            UNION ALL
            SELECT span_of(c.body, f.span_start, f.span_end) FROM content_of(p_tenant, f.content_id) c
            WHERE f.reworded IS NULL) w ON true
        WHERE x.tenant_id = p_tenant AND x.id = f.chunk_id
        RETURNING x.id, (x.content_id, x.span_start, x.span_end, x.is_retracted, x.superseded_by) IS DISTINCT FROM (
            before.content_id, before.span_start, before.span_end, before.is_retracted, before.superseded_by)
            AS is_changed,
            (x.is_quarantined, x.blocked_channels, x.audience)
                IS DISTINCT FROM (before.is_quarantined, before.blocked_channels, before.audience) AS is_moved,
            x.audience IS DISTINCT FROM before.audience AS is_heard_anew,
            (x.is_retracted OR x.is_quarantined) <> (before.is_retracted OR before.is_quarantined) AS is_turned,
            (x.is_retracted, x.is_quarantined, x.superseded_by IS NULL) IS DISTINCT FROM (
                before.is_retracted, before.is_quarantined, before.superseded_by IS NULL) AS is_shown_anew,
            x.source = 'file' AND (x.is_retracted, x.is_quarantined, x.content_id, x.edits_applied)
                IS DISTINCT FROM (before.is_retracted, before.is_quarantined, before.content_id, before.edits_applied)
            AS is_corrected)
        SELECT array_agg(y.id ORDER BY y.id) FILTER (WHERE y.is_changed) AS changed,
            array_agg(y.id ORDER BY y.id) FILTER (WHERE y.is_changed OR y.is_moved) AS lending,
            array_agg(y.id) FILTER (WHERE y.is_turned) AS turned,
            array_agg(y.id) FILTER (WHERE y.is_heard_anew) AS heard_anew,
            array_agg(y.id) FILTER (WHERE y.is_corrected) AS corrected,
            array_agg(y.id) FILTER (WHERE y.is_shown_anew) AS shown
        INTO one FROM folded y;
        changed := changed || one.changed; lending := lending || one.lending; turned := turned || one.turned;
        corrected := corrected || one.corrected; heard_anew := heard_anew || one.heard_anew; shown := shown || one.shown; events := events || memory.event_id;
        PERFORM remember_removed(p_tenant, memory.event_id, memory.chunk_id);
    END LOOP;
    PERFORM void_derived(p_tenant, changed);
    IF shown <> '{}' THEN PERFORM queue_promotions(p_tenant, shown); END IF;
    IF lending <> '{}' THEN PERFORM withdraw_context(p_tenant, lending); END IF;
    IF turned <> '{}' THEN PERFORM refold_locked_memories(p_tenant, superseded_below(p_tenant, turned)); END IF;
    IF lending <> '{}' THEN PERFORM refold_locked_memories(p_tenant, repeats_of(p_tenant, lending, 'copy')); END IF;
    IF heard_anew <> '{}' THEN
        PERFORM refold_locked_memories(p_tenant, repeats_of(p_tenant, heard_anew, 'quote')
            || repeats_of(p_tenant, heard_anew, 'copy') || consolidations_above(p_tenant, heard_anew));
    END IF;
    IF corrected <> '{}' THEN
        PERFORM refold_locked_memories(p_tenant, ARRAY(
            SELECT i.id FROM unnest(file_neighbours(p_tenant, corrected)) i (id) WHERE i.id <> ALL (corrected)));
    END IF;
    FOR d IN
        SELECT y.id, y.supersedes_id FROM unnest(events) e (id) CROSS JOIN LATERAL (
            SELECT z.id, z.supersedes_id FROM memory_decision z WHERE z.tenant_id = p_tenant AND z.event_id = e.id
            OFFSET 0) y
        ORDER BY y.id
    LOOP
        PERFORM refold_one_decision(p_tenant, d.id);
        -- a retracted successor puts its predecessor in force again
        IF d.supersedes_id IS NOT NULL THEN PERFORM refold_one_decision(p_tenant, d.supersedes_id); END IF;
    END LOOP;
    FOR task IN
        SELECT DISTINCT y.task_id FROM unnest(events) e (id) CROSS JOIN LATERAL (
            SELECT t.task_id FROM memory_task t WHERE t.tenant_id = p_tenant AND t.event_id = e.id OFFSET 0) y
        ORDER BY 1
    LOOP
        PERFORM refold_task(p_tenant, task);
    END LOOP;
END $$;
