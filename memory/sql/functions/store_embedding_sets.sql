-- executable by: suture_app
-- Store the embeddings in all spaces of chunks that the actor has just recorded, p_rows: a JSON array of objects with
-- chunk_id, model, content_id, span and the packed values in base64. Refuses another recorder's chunk, and other words
-- than the chunk has.
CREATE OR REPLACE FUNCTION store_embedding_sets(p_tenant uuid, p_rows json) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
    me acting_context := acting_writer(p_tenant);
    made int;
BEGIN
    INSERT INTO memory_embeddingset (tenant_id, id, model, content_id, span_start, span_end, packed)
    SELECT p_tenant, x.chunk_id, x.model, k.content_id, k.span_start, k.span_end, decode(x.packed, 'base64')
    FROM json_to_recordset(p_rows) AS x (chunk_id uuid, model text, content_id uuid, span_start int, span_end int,
        packed text)
    CROSS JOIN LATERAL chunk_of(p_tenant, x.chunk_id) k
    WHERE k.recorded_by = me.id
      AND (k.content_id, k.span_start, k.span_end) IS NOT DISTINCT FROM (x.content_id, x.span_start, x.span_end);
    GET DIAGNOSTICS made = ROW_COUNT;
    IF made <> json_array_length(p_rows) THEN
        RAISE EXCEPTION 'embeddings must be of the words of a chunk of their recorder' USING ERRCODE = 'SU403';
    END IF;
END $$;
