-- The rows of chunks for a context bundle, by id, in no particular order, each with p_available. `is_whole`: its event
-- is that of a decision or a task, and has no other chunk.
CREATE OR REPLACE FUNCTION context_chunks(
    p_tenant uuid, p_ids uuid[], p_ranks real[], p_listening text[], p_reader reader,
    p_include_quarantined boolean, p_available int
) RETURNS SETOF context_chunk_row LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT x.id, x.why, span_of(c.body, x.span_start, x.span_end), x.importance, x.ts, x.edits_applied,
        x.is_quarantined, x.event_id, x.session_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.channel,
        x.tier, x.source, x.recorder, e.recorder_kind, e.recorded_at, e.kind, e.actor_type, e.actor_id,
        -- a bundle contains no other event's text twice
        coalesce(e.kind IN ('decision', 'task_update')
            AND (SELECT k.total_chunks = 1 FROM memory_chunk k WHERE k.tenant_id = v_tenant AND k.id = x.id), false),
        n.score, words_hash(c.sha256, NULL, x.span_start, x.span_end), p_available
    FROM unnest(p_ids, p_ranks) AS n (id, score)
    CROSS JOIN LATERAL (
        SELECT y.*, why_chunk_hidden(y, p_listening, p_reader, p_include_quarantined) AS why
        FROM memory_effectivechunk y
        WHERE y.tenant_id = v_tenant AND y.id = n.id AND NOT y.is_retracted AND y.superseded_by IS NULL LIMIT 1) x
    LEFT JOIN LATERAL event_of(v_tenant, x.event_id) e ON true
    LEFT JOIN LATERAL content_of(v_tenant, x.content_id) c ON x.why IS NULL
    WHERE x.why <> 'audience' OR x.why IS NULL AND c.id IS NOT NULL;
END $$;
