-- Lock the counters of a chunk, created with defaults if missing; returns the confidence in it.
CREATE OR REPLACE FUNCTION lock_access(p_tenant uuid, p_chunk uuid) RETURNS numeric LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE found_confidence numeric;
BEGIN
    INSERT INTO memory_chunkaccess (tenant_id, id) VALUES (p_tenant, p_chunk) ON CONFLICT (tenant_id, id) DO NOTHING;
    SELECT a.confidence INTO STRICT found_confidence FROM memory_chunkaccess a
    WHERE a.tenant_id = p_tenant AND a.id = p_chunk FOR UPDATE;
    RETURN found_confidence;
END $$;
