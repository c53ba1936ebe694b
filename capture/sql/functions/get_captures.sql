-- executable by: suture_app
-- Captured chunks as readers get them, with their source and, for a chunk of a file, its position in the version that
-- contains it or contained it last.
CREATE OR REPLACE FUNCTION get_captures(
    p_tenant uuid, p_ids uuid[], p_listening text[], p_include_superseded boolean
) RETURNS TABLE (
    chunk_id uuid, event_id uuid, text text, source text, hook_type text, tool_name text, response_type text,
    response_id uuid, file_path text, chunk_index int, total_chunks int, word_offset int, file_hash text,
    file_deleted_at timestamptz, session_id text, ts timestamptz, importance numeric, channel text, sensitivity text,
    retention text, tier text, tags text[], edits_applied int, is_superseded boolean, recorder text,
    access_count bigint, last_accessed timestamptz, confidence numeric
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_reader reader := reader_of(p_tenant, p_listening);
BEGIN
    RETURN QUERY
    SELECT x.id, x.event_id, span_of(b.body, x.span_start, x.span_end), c.source, c.hook_type, c.tool_name,
        c.response_type, c.response_id, coalesce(f.file_path, c.file_path), coalesce(f.chunk_index, k.chunk_index),
        coalesce(f.total_chunks, k.total_chunks), coalesce(f.word_offset, c.word_offset), f.file_hash,
        f.deleted_at, c.session_id, x.ts, x.importance, x.channel, x.sensitivity, k.retention, x.tier, x.tags,
        x.edits_applied, x.is_superseded, x.recorder, coalesce(a.access_count, 0), a.last_accessed,
        coalesce(a.confidence, 0.5)
    FROM unnest(p_ids) WITH ORDINALITY i (id, place)
    CROSS JOIN LATERAL (
        SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = i.id
          AND is_seen_in_chain(y, p_listening, v_reader, false, p_include_superseded) LIMIT 1) x
    CROSS JOIN LATERAL (
        SELECT y.* FROM memory_capture y WHERE y.tenant_id = v_tenant AND y.id = i.id LIMIT 1) c
    CROSS JOIN LATERAL chunk_of(v_tenant, i.id) k
    CROSS JOIN LATERAL content_of(v_tenant, x.content_id) b
    LEFT JOIN LATERAL (
        SELECT v.file_path, p.chunk_index, w.total_chunks, p.word_offset, v.file_hash,
            CASE WHEN v.change = 'deleted' THEN v.ts END AS deleted_at
        FROM memory_fileplacement p
        JOIN memory_fileversion w ON w.tenant_id = v_tenant AND w.id = p.version_id
        JOIN memory_fileversion v ON v.tenant_id = v_tenant AND v.placed_by = p.version_id
        WHERE p.tenant_id = v_tenant AND p.chunk_id = i.id ORDER BY v.ts DESC, v.number DESC LIMIT 1) f ON c.source = 'MDFileChunk'
    LEFT JOIN LATERAL (
        SELECT y.access_count, y.last_accessed, y.confidence FROM memory_chunkaccess y
        WHERE y.tenant_id = v_tenant AND y.id = i.id LIMIT 1) a ON true
    ORDER BY i.place;
END $$;
