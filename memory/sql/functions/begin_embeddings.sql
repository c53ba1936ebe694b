-- executable by: suture_app
-- Begin or continue embedding with a model: put the next p_limit chunks of the tenant that it has not embedded into the
-- queue. Returns whether there may be more; false if another job is already doing this.
CREATE OR REPLACE FUNCTION begin_embeddings(p_tenant uuid, p_model text, p_dimensions int, p_limit int) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    m memory_embeddingmodel;
    next uuid[];
BEGIN
    PERFORM require_job(p_tenant);
    INSERT INTO memory_embeddingmodel (tenant_id, id, model, dimensions, is_complete, row_count)
    SELECT p_tenant, new_id(), p_model, p_dimensions, false, 0
    WHERE NOT EXISTS (SELECT FROM memory_embeddingmodel x WHERE x.tenant_id = p_tenant AND x.model = p_model)
    ON CONFLICT DO NOTHING;
    SELECT * INTO m FROM memory_embeddingmodel x WHERE x.tenant_id = p_tenant AND x.model = p_model AND x.filled_at IS NULL
    FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN false; END IF;
    next := ARRAY(
        SELECT x.id FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.id > coalesce(m.filled_to, '00000000-0000-0000-0000-000000000000')
        ORDER BY x.id LIMIT p_limit);
    INSERT INTO memory_embeddingitem (tenant_id, id, state, due_at, tries)
    SELECT p_tenant, c.id, 'waiting', statement_timestamp(), 0 FROM unnest(next) AS c (id)
    CROSS JOIN LATERAL (
        SELECT FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = c.id
          AND NOT x.is_retracted AND x.superseded_by IS NULL LIMIT 1) seen
    WHERE NOT EXISTS (SELECT FROM memory_embedding e WHERE e.tenant_id = p_tenant AND e.chunk_id = c.id
        AND e.space = 'E1' AND e.model = p_model)
    ON CONFLICT (tenant_id, id) DO NOTHING;
    UPDATE memory_embeddingmodel x SET filled_to = coalesce(next[cardinality(next)], x.filled_to),
        filled_at = CASE WHEN cardinality(next) < p_limit THEN statement_timestamp() END
    WHERE x.tenant_id = p_tenant AND x.id = m.id;
    RETURN cardinality(next) = p_limit;
END $$;
