-- executable by: suture_app
-- About how many chunks the tenant has: as many as count_terms counted last, or up to 10,000 if it has not counted yet.
CREATE OR REPLACE FUNCTION count_chunks(p_tenant uuid) RETURNS bigint LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN coalesce(
        (SELECT nullif(t.chunks, 0) FROM memory_termcount t WHERE t.tenant_id = p_tenant),
        (SELECT count(*) FROM (SELECT FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant LIMIT 10000) n));
END $$;
