-- Insert the projection rows of recorded chunks, without edits; without words if those were erased. p_keys has the keys of
-- some by their ids. Only set_tier
-- changes a tier. They are found by their own words at once. The vector of their words with their neighbours' is left to a job
-- (complete_context): computing it here would add more than half to the time that the database takes for one event
-- (measured). The words are looked up by key: as a join, PostgreSQL scanned them once for every chunk in a tenant that is
-- newer than the statistics, for which the planner expects one row. 3,000 chunks took 5 s after 15,000 others, and 1 s in
-- an empty tenant (measured).
CREATE OR REPLACE FUNCTION project_chunks(p_tenant uuid, p_chunks uuid[], p_keys jsonb DEFAULT NULL) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE spoken regconfig := search_language(p_tenant);
BEGIN
    INSERT INTO memory_effectivechunk (tenant_id, id, event_id, source, chunk_index, tier, importance, content_id,
        span_start, span_end, recorded_by, recorder, tags, scope, subject_type, subject_id, project_id, session_id,
        channel, sensitivity, ts, is_retracted, is_quarantined, blocked_channels, edits_applied, seq,
        block_label, is_core, expires_at, audience, text, tsv, key, metadata)
    SELECT p_tenant, k.id, k.event_id, k.source, k.chunk_index, tier_of(p_tenant, k.id), k.importance, k.content_id, k.span_start,
        k.span_end, k.recorded_by, k.recorder, k.tags, k.scope, k.subject_type, k.subject_id, k.project_id,
        k.session_id, k.channel, k.sensitivity, k.ts, false, false, '{}', 0, m.seq,
        m.block_label, coalesce(m.is_core, false), coalesce(m.expires_at, l.expires_at), k.audience, w.text,
        text_vector(spoken, w.text), p_keys ->> k.id::text, l.metadata
    FROM unnest(p_chunks) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
    LEFT JOIN LATERAL (
        SELECT span_of(c.body, k.span_start, k.span_end) AS text FROM content_of(p_tenant, k.content_id) c) w ON true
    LEFT JOIN LATERAL (
        SELECT y.seq, y.block_label, y.is_core, y.expires_at FROM memory_agentmemory y
        WHERE y.tenant_id = p_tenant AND y.id = k.id AND k.event_id IS NULL LIMIT 1) m ON true
    LEFT JOIN LATERAL labels_of_event(p_tenant, k.event_id) l ON k.event_id IS NOT NULL;
    INSERT INTO memory_pendingcontext (tenant_id, id, is_reworded) SELECT p_tenant, i.id, false FROM unnest(p_chunks) i (id)
    ON CONFLICT DO NOTHING;
END $$;
