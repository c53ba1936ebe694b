-- The tier of a chunk: that of its last promotion.
CREATE OR REPLACE FUNCTION tier_of(p_tenant uuid, p_chunk uuid) RETURNS text LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN coalesce((
        SELECT p.to_tier FROM memory_promotion p WHERE p.tenant_id = p_tenant AND p.chunk_id = p_chunk
        ORDER BY p.number DESC LIMIT 1), first_tier());
END $$;
