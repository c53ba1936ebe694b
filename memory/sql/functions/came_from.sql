-- A chunk and its sources: the originals of a consolidation, and their originals.
CREATE OR REPLACE FUNCTION came_from(p_tenant uuid, p_chunk uuid) RETURNS SETOF uuid LANGUAGE plpgsql STABLE ROWS 5
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
    WITH RECURSIVE source (id) AS (
        SELECT p_chunk
        UNION
        SELECT s.superseded_id FROM source f CROSS JOIN LATERAL (
            SELECT z.superseded_id FROM memory_supersession z
            WHERE z.tenant_id = p_tenant AND z.successor_id = f.id AND z.kind = 'consolidation' OFFSET 0) s)
    SELECT f.id FROM source f;
END $$;
