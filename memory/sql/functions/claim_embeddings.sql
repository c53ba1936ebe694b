-- executable by: suture_app
-- Claim up to p_limit chunks from the queue for p_lease; after that, the job counts as killed and another one can claim
-- them. p_again claims those that were claimed before, otherwise new ones: a chunk that kills a process must not take
-- others with it, so chunks that were claimed before are claimed one by one, and isolated after p_most claims. Returns
-- what to embed, and the models that already have it. Chunks without text leave the queue.
CREATE OR REPLACE FUNCTION claim_embeddings(
    p_tenant uuid, p_limit int, p_lease interval, p_again boolean, p_most int
) RETURNS TABLE (
    chunk_id uuid, content_id uuid, span_start int, span_end int, speaker text, text text, speaker_before text,
    text_before text, speaker_after text, text_after text, context uuid, models text[]
) LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    present timestamptz := clock_timestamp();
    taken uuid[];
BEGIN
    PERFORM require_job(p_tenant);
    IF p_again THEN
        UPDATE memory_embeddingitem i SET state = 'isolated',
            error = coalesce(i.error, 'The worker stopped each time that it embedded this chunk.')
        WHERE i.tenant_id = p_tenant AND i.id = ANY (ARRAY(
            SELECT d.id FROM memory_embeddingitem d
            WHERE d.tenant_id = p_tenant AND d.state = 'waiting' AND d.due_at <= present AND d.tries >= p_most
            LIMIT 1000 FOR UPDATE SKIP LOCKED));
    END IF;
    taken := ARRAY(
        SELECT d.id FROM memory_embeddingitem d
        WHERE d.tenant_id = p_tenant AND d.state = 'waiting' AND d.due_at <= present AND (d.tries > 0) = p_again
        ORDER BY d.due_at, d.id LIMIT p_limit FOR UPDATE SKIP LOCKED);
    UPDATE memory_embeddingitem i SET due_at = present + p_lease, tries = i.tries + 1
    WHERE i.tenant_id = p_tenant AND i.id = ANY (taken);
    RETURN QUERY
    SELECT t.id, s.content_id, s.span_start, s.span_end, s.speaker, s.text, s.speaker_before, s.text_before,
        s.speaker_after, s.text_after, s.context, ARRAY(
            SELECT e.model FROM memory_embedding e
            WHERE e.tenant_id = p_tenant AND e.chunk_id = t.id AND e.space = 'E1'
              AND (e.content_id, e.span_start, e.span_end, e.context)
                  IS NOT DISTINCT FROM (s.content_id, s.span_start, s.span_end, s.context))
    FROM unnest(taken) AS t (id) CROSS JOIN LATERAL embedding_source(p_tenant, t.id) s;
    DELETE FROM memory_embeddingitem i WHERE i.tenant_id = p_tenant AND i.id = ANY (taken)
      AND NOT EXISTS (SELECT FROM embedding_source(p_tenant, i.id));
END $$;
