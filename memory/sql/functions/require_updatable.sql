-- Refuse to let the actor update a chunk that they may not replace, that is an agent's own memory or a decision's, which
-- are superseded in their own ways, or whose words are erased.
CREATE OR REPLACE FUNCTION require_updatable(p_tenant uuid, p_chunk uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    k memory_chunk;
BEGIN
    SELECT * INTO k FROM chunk_of(p_tenant, p_chunk);
    IF NOT may_replace(p_tenant, p_chunk) THEN
        RAISE EXCEPTION 'an amend of this memory would wait for approval' USING ERRCODE = 'SU403';
    END IF;
    IF EXISTS (SELECT FROM memory_agentmemory m WHERE m.tenant_id = p_tenant AND m.id = k.id)
       OR EXISTS (SELECT FROM memory_decision d WHERE d.tenant_id = p_tenant AND d.event_id = k.event_id)
       OR NOT EXISTS (SELECT FROM content_of(p_tenant, k.content_id))
    THEN
        RAISE EXCEPTION 'this memory cannot be updated' USING ERRCODE = 'SU409';
    END IF;
END $$;
