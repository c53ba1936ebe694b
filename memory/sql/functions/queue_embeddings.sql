-- Put recorded chunks into the queue of the embedding job; p_chunks as in record_events and record_summary. A chunk
-- with compute_embedding false is marked as excluded.
CREATE OR REPLACE FUNCTION queue_embeddings(p_tenant uuid, p_chunks json) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
    INSERT INTO memory_embeddingitem (tenant_id, id, state, due_at, tries)
    SELECT p_tenant, x.id, CASE WHEN x.compute_embedding IS FALSE THEN 'off' ELSE 'waiting' END, statement_timestamp(), 0
    FROM json_to_recordset(p_chunks) AS x (id uuid, compute_embedding boolean)
    ON CONFLICT (tenant_id, id) DO NOTHING;
END $$;
