-- The records that an erasure covers (erasure_scope), one row for each content row of a record. A chunk is a span of
-- its event's text, so an erasure covers its whole memory: the event, all its chunks, and its decision, task update or
-- artifact. The chunks of a file share words within and across versions, so it covers all of them. It covers copies too
-- (source_of_copy), and what guards made of the texts.
CREATE OR REPLACE FUNCTION erasable_of_memory(
    p_tenant uuid, p_by text, p_target uuid, p_subject_type text, p_subject_id text
) RETURNS TABLE (kind text, record_id uuid, content_id uuid, retention text) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    events uuid[];
    summaries uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    IF p_by = 'value' THEN
        RETURN QUERY SELECT * FROM erasable_by_value(p_tenant, p_target);
        RETURN;
    END IF;
    SELECT array_agg(e.id) INTO events FROM memory_event e
    WHERE e.tenant_id = p_tenant AND CASE p_by
        WHEN 'event' THEN e.id = p_target
        WHEN 'chunk' THEN e.id = (
            SELECT k.event_id FROM memory_chunk k WHERE k.tenant_id = p_tenant AND k.id = p_target)
        WHEN 'subject' THEN e.subject_type = p_subject_type AND e.subject_id = p_subject_id
        WHEN 'agent' THEN e.recorder_kind = 'agent' AND e.recorded_by = p_target END;
    SELECT array_agg(k.id) INTO summaries FROM memory_chunk k
    WHERE k.tenant_id = p_tenant AND k.event_id IS NULL AND CASE p_by
        WHEN 'chunk' THEN k.id = ANY (p_target || chunks_of_file(p_tenant, p_target))
        WHEN 'subject' THEN k.subject_type = p_subject_type AND k.subject_id = p_subject_id
        WHEN 'agent' THEN k.recorder_kind = 'agent' AND k.recorded_by = p_target END;
    events := events || ARRAY(
        SELECT DISTINCT c.event_id FROM unnest(repeats_of(p_tenant, summaries || ARRAY(
            SELECT k.id FROM memory_chunk k WHERE k.tenant_id = p_tenant AND k.event_id = ANY (events)), 'copy')) i (id)
        CROSS JOIN LATERAL chunk_of(p_tenant, i.id) c WHERE NOT coalesce(c.event_id = ANY (events), false));
    RETURN QUERY
    WITH recorded AS MATERIALIZED (
        SELECT 'event' AS kind, e.id, w.id AS content_id, e.retention FROM unnest(events) AS i (id)
        CROSS JOIN LATERAL event_of(p_tenant, i.id) e
        CROSS JOIN LATERAL (VALUES (e.content_id), (e.fields_id)) w (id)
        WHERE w.id IS NOT NULL
        UNION ALL
        SELECT 'chunk', k.id, k.content_id, k.retention FROM memory_chunk k
        WHERE k.tenant_id = p_tenant AND k.event_id = ANY (events)
        UNION ALL
        SELECT 'chunk', k.id, k.content_id, k.retention FROM memory_chunk k
        WHERE k.tenant_id = p_tenant AND k.id = ANY (summaries)
        UNION ALL
        SELECT r.kind, r.id, r.content_id, e.retention FROM (
            SELECT 'decision' AS kind, d.id, d.event_id, w.id AS content_id FROM memory_decision d
            CROSS JOIN LATERAL (VALUES (d.content_id), (d.details_id)) w (id)
            WHERE d.tenant_id = p_tenant AND d.event_id = ANY (events)
            UNION ALL
            SELECT 'task', t.id, t.event_id, w.id FROM memory_task t
            CROSS JOIN LATERAL (VALUES (t.content_id), (t.details_id)) w (id)
            WHERE t.tenant_id = p_tenant AND t.event_id = ANY (events)
            UNION ALL
            SELECT 'artifact', a.id, a.event_id, a.content_id FROM memory_artifact a
            WHERE a.tenant_id = p_tenant AND a.event_id = ANY (events)
        ) r
        CROSS JOIN LATERAL event_of(p_tenant, r.event_id) e
        WHERE r.content_id IS NOT NULL
    )
    SELECT r.* FROM recorded r
    UNION ALL  -- what guards made of them
    SELECT r.kind, r.id, w.id, r.retention FROM (SELECT DISTINCT x.kind, x.id, x.retention FROM recorded x) r
    JOIN memory_rewording w ON w.tenant_id = p_tenant AND w.record_id = r.id
    UNION ALL  -- and of texts that the agent proposed for others' records
    SELECT 'edit', e.id, w.id, NULL FROM governance_edit e
    JOIN memory_rewording w ON w.tenant_id = p_tenant AND w.content_id = e.content_id
    WHERE p_by = 'agent' AND e.tenant_id = p_tenant AND e.proposer_kind = 'agent' AND e.proposed_by = p_target
      AND NOT EXISTS (SELECT FROM recorded r WHERE r.id = w.record_id);
END $$;
