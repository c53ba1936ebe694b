-- executable by: suture_app
-- Return chunks that could not be embedded to the queue, for p_delay. p_error is the reason, without their text. If
-- they are at fault, they are isolated after p_most attempts; otherwise (p_most NULL), the attempt does not count.
CREATE OR REPLACE FUNCTION release_embeddings(
    p_tenant uuid, p_chunks uuid[], p_error text, p_delay interval, p_most int
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM require_job(p_tenant);
    UPDATE memory_embeddingitem i SET due_at = statement_timestamp() + p_delay, error = p_error,
        tries = CASE WHEN p_most IS NULL THEN greatest(i.tries - 1, 0) ELSE i.tries END,
        state = CASE WHEN i.tries >= p_most THEN 'isolated' ELSE i.state END
    WHERE i.tenant_id = p_tenant AND i.id = ANY (p_chunks) AND i.state = 'waiting';
END $$;
