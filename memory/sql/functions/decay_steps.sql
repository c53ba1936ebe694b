-- How many times the confidence in a chunk must still decay at the time p_now: once for every full 30 days since its
-- last outcome, consolidation or manual change, minus the decays since then. VOLATILE, to see what others have
-- committed.
CREATE OR REPLACE FUNCTION decay_steps(p_tenant uuid, p_chunk uuid, p_now timestamptz) RETURNS int LANGUAGE plpgsql
VOLATILE SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_since timestamptz;
    v_done int;
BEGIN
    SELECT greatest(a.last_outcome_at, (
        SELECT c.at FROM memory_confidencechange c
        WHERE c.tenant_id = p_tenant AND c.chunk_id = p_chunk AND c.kind <> 'decay' ORDER BY c.number DESC LIMIT 1))
    INTO v_since FROM memory_chunkaccess a WHERE a.tenant_id = p_tenant AND a.id = p_chunk;
    SELECT count(*) INTO v_done FROM memory_confidencechange c
    WHERE c.tenant_id = p_tenant AND c.chunk_id = p_chunk AND c.kind = 'decay' AND c.at > v_since;
    RETURN greatest(coalesce(floor(extract(epoch FROM p_now - v_since) / 2592000), 0) - v_done, 0);
END $$;
