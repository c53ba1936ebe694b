-- executable by: suture_app
-- What a run of the embedding job needs to know about every tenant, for the operator's token: whether chunks wait for a
-- vector or for their neighbours' words, whether some are isolated, and whether p_model is new or incomplete.
CREATE OR REPLACE FUNCTION tenants_to_embed(p_token text, p_model text)
RETURNS TABLE (tenant_id uuid, waiting bigint, isolated bigint) LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF token_bearer(p_token) IS NOT NULL THEN
        RAISE EXCEPTION 'only the operator can embed' USING ERRCODE = 'SU403';
    END IF;
    RETURN QUERY
    WITH queue AS (
        SELECT i.tenant_id AS id, count(*) FILTER (WHERE i.state = 'waiting') AS waiting,
            count(*) FILTER (WHERE i.state = 'isolated') AS isolated
        FROM memory_embeddingitem i WHERE i.state <> 'off' GROUP BY 1)
    SELECT t.id, coalesce(q.waiting, 0), coalesce(q.isolated, 0)
    FROM governance_tenant t LEFT JOIN queue q ON q.id = t.id
    WHERE q.id IS NOT NULL
       OR EXISTS (SELECT FROM memory_pendingcontext p WHERE p.tenant_id = t.id)
       OR p_model IS NOT NULL AND NOT EXISTS (
           SELECT FROM memory_embeddingmodel m
           WHERE m.tenant_id = t.id AND m.model = p_model AND m.is_complete);
END $$;
