-- executable by: suture_owner
-- The embeddings that do not match the current text of their chunks and neighbours, except those that the job will
-- renew anyway. There should be none: each change deletes them.
CREATE OR REPLACE FUNCTION embedding_drift(p_tenant uuid) RETURNS TABLE (kind text, id uuid, problem text)
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT 'embedding', e.chunk_id, CASE
        WHEN s.content_id IS NULL THEN 'of a chunk without words'
        WHEN (s.content_id, s.span_start, s.span_end) IS DISTINCT FROM (e.content_id, e.span_start, e.span_end)
            THEN 'of other words'
        ELSE 'of other neighbours' END
    FROM memory_embedding e
    LEFT JOIN LATERAL embedding_source(p_tenant, e.chunk_id) s ON true
    WHERE e.tenant_id = p_tenant AND (
        s.content_id IS NULL
        OR (s.content_id, s.span_start, s.span_end) IS DISTINCT FROM (e.content_id, e.span_start, e.span_end)
        -- recorded since then, or a neighbour lends more than before: the job knows, or will
        OR e.context IS NOT NULL AND s.context IS DISTINCT FROM e.context
           AND NOT EXISTS (SELECT FROM memory_embeddingitem i WHERE i.tenant_id = p_tenant AND i.id = e.chunk_id)
           AND NOT EXISTS (SELECT FROM memory_chunk k WHERE k.tenant_id = p_tenant AND k.id = e.chunk_id
               AND is_context_pending(k)))
    UNION ALL
    SELECT 'embedding', s.id, 'in all spaces, of other words'
    FROM memory_embeddingset s
    WHERE s.tenant_id = p_tenant AND NOT EXISTS (
        SELECT FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = s.id AND NOT x.is_retracted
          AND (x.content_id, x.span_start, x.span_end) IS NOT DISTINCT FROM (s.content_id, s.span_start, s.span_end));
END $$;
