-- executable by: suture_app
-- Additional data for recalled chunks: for an agent's own memory its position in the chain, the number of deliveries,
-- and the confidence.
CREATE OR REPLACE FUNCTION get_recalled(
    p_tenant uuid, p_ids uuid[], p_listening text[], p_include_superseded boolean
) RETURNS TABLE (
    chunk_id uuid, text text, importance numeric, ts timestamptz, edits_applied int, channel text, sensitivity text, tier text,
    source text, recorder text, recorded_by uuid, session_id text, event_id uuid, retention text, seq bigint,
    is_superseded boolean, superseded_by bigint, supersedes bigint[], block_label text, version int, is_core boolean,
    expires_at timestamptz, access_count bigint, last_accessed timestamptz, confidence numeric
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_reader reader := reader_of(p_tenant, p_listening);
BEGIN
    RETURN QUERY
    SELECT x.id, span_of(c.body, x.span_start, x.span_end), x.importance, x.ts, x.edits_applied, x.channel,
        x.sensitivity, x.tier, x.source, x.recorder, x.recorded_by, x.session_id, x.event_id, k.retention, x.seq,
        x.is_superseded, CASE WHEN x.is_superseded THEN (
            SELECT s.seq FROM memory_agentmemory s WHERE s.tenant_id = v_tenant AND s.id = x.superseded_by) END,
        CASE WHEN x.seq IS NOT NULL THEN ARRAY(
            SELECT s.superseded_seq FROM memory_supersession s WHERE s.tenant_id = v_tenant
              AND s.successor_id = x.id AND s.kind = 'consolidation' ORDER BY 1) ELSE '{}' END,
        x.block_label, m.version, x.is_core, x.expires_at, coalesce(a.access_count, 0), a.last_accessed,
        coalesce(a.confidence, 0.5)
    FROM unnest(p_ids) AS i (id)
    CROSS JOIN LATERAL (
        SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = i.id
          AND is_seen_in_chain(y, p_listening, v_reader, false, p_include_superseded) LIMIT 1) x
    CROSS JOIN LATERAL chunk_of(v_tenant, i.id) k
    CROSS JOIN LATERAL content_of(v_tenant, x.content_id) c
    LEFT JOIN LATERAL (
        SELECT y.version FROM memory_agentmemory y
        WHERE y.tenant_id = v_tenant AND y.id = i.id AND x.block_label IS NOT NULL LIMIT 1) m ON true
    LEFT JOIN LATERAL (
        SELECT y.access_count, y.last_accessed, y.confidence FROM memory_chunkaccess y
        WHERE y.tenant_id = v_tenant AND y.id = i.id LIMIT 1) a ON true;
END $$;
