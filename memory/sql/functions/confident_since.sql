-- Since when the confidence in a chunk has been at least p_least without a failure; NULL if it is lower now. The time
-- starts with the first change after the last lower value, and restarts with each failure. Confidence that never
-- changed counts from the first use.
CREATE OR REPLACE FUNCTION confident_since(p_tenant uuid, p_chunk uuid, p_least numeric) RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    broken record;
    since timestamptz;
BEGIN
    SELECT c.number, c.after >= p_least AS is_enough, c.at INTO broken FROM memory_confidencechange c
    WHERE c.tenant_id = p_tenant AND c.chunk_id = p_chunk AND (c.after < p_least OR c.is_failure)
    ORDER BY c.number DESC LIMIT 1;
    IF broken.is_enough THEN RETURN broken.at; END IF;
    SELECT c.at INTO since FROM memory_confidencechange c
    WHERE c.tenant_id = p_tenant AND c.chunk_id = p_chunk AND c.number > coalesce(broken.number, 0)
    ORDER BY c.number LIMIT 1;
    IF since IS NULL AND broken.number IS NULL AND p_least <= 0.5 THEN
        SELECT min(s.first_accessed) INTO since FROM memory_chunksession s
        WHERE s.tenant_id = p_tenant AND s.chunk_id = p_chunk;
    END IF;
    RETURN since;
END $$;
