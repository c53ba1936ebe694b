-- The text to embed for a chunk: its effective text with its speaker, and the words lent by the turns beside it
-- (neighbours_of). No row for a chunk that readers never get, or whose text is erased: it has no embedding. A part of a
-- file's version has one before the version is current. `context` is a digest of the lent words, NULL if there are
-- none: with content_id and span, it is the key of an embedding.
CREATE OR REPLACE FUNCTION embedding_source(p_tenant uuid, p_chunk uuid) RETURNS TABLE (
    content_id uuid, span_start int, span_end int, speaker text, text text, speaker_before text, text_before text,
    speaker_after text, text_after text, context uuid
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
    WITH beside AS MATERIALIZED (
        SELECT n.place, coalesce(e.actor_id, y.recorder) AS speaker, span_of(c.body, y.span_start, y.span_end) AS text,
            concat_ws(' ', n.place, n.chunk_id, y.content_id, y.span_start, y.span_end) AS key
        FROM memory_chunk k
        JOIN memory_effectivechunk x ON x.tenant_id = p_tenant AND x.id = p_chunk
        CROSS JOIN LATERAL neighbours_of(k, x.blocked_channels, x.audience) n
        CROSS JOIN LATERAL (
            SELECT z.* FROM memory_effectivechunk z WHERE z.tenant_id = p_tenant AND z.id = n.chunk_id LIMIT 1) y
        CROSS JOIN LATERAL content_of(p_tenant, y.content_id) c
        LEFT JOIN LATERAL event_of(p_tenant, y.event_id) e ON true
        WHERE k.tenant_id = p_tenant AND k.id = p_chunk AND n.lends AND n.place IN (-1, 1)
    )
    SELECT x.content_id, x.span_start, x.span_end, coalesce(e.actor_id, x.recorder),
        span_of(c.body, x.span_start, x.span_end), b.speaker, b.text, a.speaker, a.text,
        CASE WHEN num_nonnulls(b.key, a.key) > 0 THEN md5(concat_ws('; ', b.key, a.key))::uuid END
    FROM memory_effectivechunk x
    CROSS JOIN LATERAL content_of(p_tenant, x.content_id) c
    LEFT JOIN LATERAL event_of(p_tenant, x.event_id) e ON true
    LEFT JOIN beside b ON b.place = -1
    LEFT JOIN beside a ON a.place = 1
    WHERE x.tenant_id = p_tenant AND x.id = p_chunk AND NOT x.is_retracted
      AND (x.superseded_by IS NULL OR x.source = 'file' AND is_staged(p_tenant, x.id))
      AND x.sensitivity <> 'secret' AND (x.expires_at IS NULL OR x.expires_at > statement_timestamp());
END $$;
