-- executable by: suture_app
-- The progress of a tenant's embeddings: chunks that wait (and since when the first does), isolated ones, excluded
-- ones; and the vectors by model.
CREATE OR REPLACE FUNCTION embedding_progress(p_tenant uuid) RETURNS TABLE (
    waiting bigint, waiting_since timestamptz, isolated bigint, unwanted bigint, models text[], vectors bigint[],
    complete boolean[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT q.waiting, q.since, q.isolated, q.unwanted, m.models, m.vectors, m.complete
    FROM (SELECT count(*) FILTER (WHERE i.state = 'waiting') AS waiting,
              min(i.due_at) FILTER (WHERE i.state = 'waiting' AND i.due_at <= statement_timestamp()) AS since,
              count(*) FILTER (WHERE i.state = 'isolated') AS isolated,
              count(*) FILTER (WHERE i.state = 'off') AS unwanted
          FROM memory_embeddingitem i WHERE i.tenant_id = p_tenant) q
    CROSS JOIN (SELECT coalesce(array_agg(x.model ORDER BY x.id), '{}') AS models,
              coalesce(array_agg(x.row_count ORDER BY x.id), '{}') AS vectors,
              coalesce(array_agg(x.is_complete ORDER BY x.id), '{}') AS complete
          FROM memory_embeddingmodel x WHERE x.tenant_id = p_tenant) m;
END $$;
