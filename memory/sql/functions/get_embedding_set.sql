-- executable by: suture_app
-- The stored embeddings of a chunk that the reader gets, superseded or not, if they are of its present words.
CREATE OR REPLACE FUNCTION get_embedding_set(p_tenant uuid, p_chunk uuid, p_listening text[]) RETURNS TABLE (
    model text, packed bytea
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE v_reader reader := reader_of(p_tenant, p_listening);
BEGIN
    RETURN QUERY
    SELECT s.model, s.packed
    FROM memory_embeddingset s
    CROSS JOIN LATERAL (
        SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = p_chunk
          AND is_seen_in_chain(y, p_listening, v_reader, false, true) LIMIT 1) x
    WHERE s.tenant_id = p_tenant AND s.id = p_chunk
      AND (s.content_id, s.span_start, s.span_end) IS NOT DISTINCT FROM (x.content_id, x.span_start, x.span_end);
END $$;
