-- executable by: suture_app
-- Retry isolated chunks: these, or all if p_chunks is NULL. Returns how many.
CREATE OR REPLACE FUNCTION retry_embeddings(p_tenant uuid, p_chunks uuid[]) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE retried int;
BEGIN
    PERFORM require_tenant(p_tenant);
    UPDATE memory_embeddingitem i SET state = 'waiting', tries = 0, error = NULL, due_at = statement_timestamp()
    WHERE i.tenant_id = p_tenant AND i.state = 'isolated' AND (p_chunks IS NULL OR i.id = ANY (p_chunks));
    GET DIAGNOSTICS retried = ROW_COUNT;
    RETURN retried;
END $$;
