-- The successor of a captured chunk: the chunk itself if it was deleted or the current version of its file does not
-- contain it, so that no reader gets it, whatever happens to other chunks; else NULL.
CREATE OR REPLACE FUNCTION capture_successor_of(p_tenant uuid, k memory_chunk) RETURNS uuid LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    IF EXISTS (SELECT FROM memory_captureremoval r WHERE r.tenant_id = p_tenant AND r.chunk_id = k.id)
       OR k.source = 'file' AND NOT is_placed_now(p_tenant, k.id)
    THEN RETURN k.id; END IF;
    RETURN NULL;
END $$;
