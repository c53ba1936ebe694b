-- Since when a chunk and all its sources have had a confidence of at least p_least (confident_since); NULL if one of
-- them has less.
CREATE OR REPLACE FUNCTION trusted_since(p_tenant uuid, p_chunk uuid, p_least numeric) RETURNS timestamptz LANGUAGE plpgsql
STABLE SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN (
        SELECT CASE WHEN bool_and(c.since IS NOT NULL) THEN max(c.since) END
        FROM came_from(p_tenant, p_chunk) o (id) CROSS JOIN LATERAL confident_since(p_tenant, o.id, p_least) c (since));
END $$;
