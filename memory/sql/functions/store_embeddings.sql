-- executable by: suture_app
-- Store the results of a job, p_rows, a JSON list: the vector of a space and model for a chunk as it was claimed, or no
-- vector if the chunk already has it. Only if the chunk and its neighbours still have the same text: chunks that were
-- edited meanwhile stay in the queue, and so do chunks locked by an uncommitted edit, which this does not wait for. A
-- chunk leaves the queue with its vectors; one that was embedded without its borrowed words (context NULL) has them and
-- stays. Returns how many chunks have new ones. Anyone but a job can only store the first vectors of their own records.
CREATE OR REPLACE FUNCTION store_embeddings(p_tenant uuid, p_rows json) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting(p_tenant);
    ids uuid[];
    held uuid[];
    current uuid[];
    done uuid[];  -- those of `current` that were embedded with all borrowed words
BEGIN
    ids := ARRAY(SELECT DISTINCT x.chunk_id FROM json_to_recordset(p_rows) AS x (chunk_id uuid) ORDER BY 1);
    held := ARRAY(SELECT x.id FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.id = ANY (surroundings_of(p_tenant, ids)) FOR SHARE SKIP LOCKED);
    SELECT array_agg(DISTINCT x.chunk_id), array_agg(DISTINCT x.chunk_id) FILTER (
        WHERE x.context IS NOT DISTINCT FROM s.context) INTO current, done
    FROM json_to_recordset(p_rows) AS x (chunk_id uuid, content_id uuid, span_start int, span_end int, context uuid)
    CROSS JOIN LATERAL embedding_source(p_tenant, x.chunk_id) s
    WHERE surroundings_of(p_tenant, ARRAY[x.chunk_id]) <@ held
      AND (x.content_id, x.span_start, x.span_end) IS NOT DISTINCT FROM (s.content_id, s.span_start, s.span_end)
      AND (x.context IS NULL OR x.context = s.context)
      AND (me.kind IN ('job', 'system') OR (
          EXISTS (SELECT FROM memory_chunk k
                  WHERE k.tenant_id = p_tenant AND k.id = x.chunk_id AND k.recorded_by = me.id)
          AND NOT EXISTS (SELECT FROM memory_embedding e WHERE e.tenant_id = p_tenant AND e.chunk_id = x.chunk_id)));
    current := coalesce(current, '{}');
    done := coalesce(done, '{}');
    WITH stored AS (
        INSERT INTO memory_embedding (tenant_id, id, chunk_id, space, model, content_id, span_start, span_end, context,
            dense, bits, sparse)
        SELECT p_tenant, new_id(), x.chunk_id, x.space, x.model, x.content_id, x.span_start, x.span_end, x.context,
            x.dense, x.bits, x.sparse
        FROM json_to_recordset(p_rows) AS x (chunk_id uuid, space text, model text, content_id uuid, span_start int,
            span_end int, context uuid, dense halfvec, bits bit varying, sparse sparsevec)
        WHERE x.chunk_id = ANY (current) AND num_nonnulls(x.dense, x.bits, x.sparse) = 1
        ORDER BY x.chunk_id, x.space, x.model
        ON CONFLICT (tenant_id, chunk_id, space, model) DO UPDATE SET content_id = excluded.content_id,
            span_start = excluded.span_start, span_end = excluded.span_end, context = excluded.context,
            dense = excluded.dense, bits = excluded.bits, sparse = excluded.sparse
        RETURNING space, model, xmax = 0 AS is_new
    ), counted AS (SELECT s.model, count(*) AS n FROM stored s WHERE s.space = 'E1' AND s.is_new GROUP BY 1)
    UPDATE memory_embeddingmodel m SET row_count = m.row_count + counted.n FROM counted
    WHERE m.tenant_id = p_tenant AND m.model = counted.model;
    DELETE FROM memory_embeddingitem i WHERE i.tenant_id = p_tenant AND i.id = ANY (ARRAY(
        SELECT j.id FROM memory_embeddingitem j WHERE j.tenant_id = p_tenant AND j.id = ANY (done)
        FOR UPDATE SKIP LOCKED));
    -- again at once, with the chunk's current text
    UPDATE memory_embeddingitem i SET due_at = statement_timestamp(), tries = 0
    WHERE i.tenant_id = p_tenant AND i.state = 'waiting' AND i.id = ANY (ARRAY(
        SELECT j.id FROM memory_embeddingitem j
        WHERE j.tenant_id = p_tenant AND j.id = ANY (ids) AND j.id <> ALL (done) FOR UPDATE SKIP LOCKED));
    RETURN (SELECT count(DISTINCT x.chunk_id) FROM json_to_recordset(p_rows)
        AS x (chunk_id uuid, dense text, bits text, sparse text)
        WHERE x.chunk_id = ANY (current) AND num_nonnulls(x.dense, x.bits, x.sparse) = 1);
END $$;
