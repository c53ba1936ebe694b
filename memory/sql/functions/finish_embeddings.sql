-- executable by: suture_app
-- After a run: if p_model has embedded everything that existed when it was added, it is complete, and previous models
-- are deleted with their vectors. Until then both are in use: the job embeds with both, and questions use one of them.
CREATE OR REPLACE FUNCTION finish_embeddings(p_tenant uuid, p_model text) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE m memory_embeddingmodel;
BEGIN
    PERFORM require_job(p_tenant);
    SELECT * INTO m FROM memory_embeddingmodel x WHERE x.tenant_id = p_tenant AND x.model = p_model FOR UPDATE SKIP LOCKED;
    IF NOT FOUND OR m.filled_at IS NULL THEN RETURN false; END IF;
    IF NOT m.is_complete AND EXISTS (
        SELECT FROM memory_embeddingitem i WHERE i.tenant_id = p_tenant AND i.state = 'waiting'
          AND (i.due_at <= m.filled_at OR i.tries > 0))
    THEN
        RETURN false;
    END IF;
    IF EXISTS (SELECT FROM memory_embeddingmodel x WHERE x.tenant_id = p_tenant AND x.model <> p_model) THEN
        DELETE FROM memory_embedding e WHERE e.tenant_id = p_tenant AND e.space = 'E1' AND e.model <> p_model;
        DELETE FROM memory_embeddingmodel x WHERE x.tenant_id = p_tenant AND x.model <> p_model;
    END IF;
    UPDATE memory_embeddingmodel x SET is_complete = true, row_count = CASE WHEN x.row_count > 100000 THEN x.row_count ELSE (
        SELECT count(*) FROM memory_embedding e
        WHERE e.tenant_id = p_tenant AND e.space = 'E1' AND e.model = p_model) END
    WHERE x.tenant_id = p_tenant AND x.id = m.id;
    RETURN true;
END $$;
