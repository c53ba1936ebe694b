-- Let the job embed some chunks again, because their text or their neighbours changed. Excluded chunks stay so;
-- isolated ones are retried.
CREATE OR REPLACE FUNCTION requeue_embeddings(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    INSERT INTO memory_embeddingitem AS i (tenant_id, id, state, due_at, tries)
    SELECT p_tenant, c.id, 'waiting', statement_timestamp(), 0 FROM unnest(p_chunks) AS c (id)
    CROSS JOIN LATERAL (
        SELECT FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = c.id
          AND NOT x.is_retracted AND x.superseded_by IS NULL LIMIT 1) seen
    ORDER BY c.id
    ON CONFLICT (tenant_id, id) DO UPDATE SET state = 'waiting', due_at = excluded.due_at, tries = 0, error = NULL
    WHERE i.state <> 'off';
END $$;
